package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AdagradDA of rows of variables, see {@link OptimizerFormulas.AdagradDa}. */
@Signature(
        "ResourceSparseApplyAdagradDA(var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, grad: T, indices: Tindices, lr: T, l1: T, l2: T, global_step: int64) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false} stateful")
public record ResourceSparseApplyAdagradDA() implements OptimizerFormulas.AdagradDa {}
