package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AdagradDA of rows of referenced variables, see {@link OptimizerFormulas.AdagradDa}. */
@Signature(
        "SparseApplyAdagradDA(var: ref T, gradient_accumulator: ref T, gradient_squared_accumulator: ref T, grad: T, indices: Tindices, lr: T, l1: T, l2: T, global_step: int64) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record SparseApplyAdagradDA() implements OptimizerFormulas.AdagradDa {}
