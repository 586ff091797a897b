package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Momentum of rows of variables, see {@link OptimizerFormulas.Momentum}. */
@Signature(
        "ResourceSparseApplyMomentum(var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; use_nesterov: bool = false} stateful")
public record ResourceSparseApplyMomentum(boolean useNesterov) implements OptimizerFormulas.Momentum {}
