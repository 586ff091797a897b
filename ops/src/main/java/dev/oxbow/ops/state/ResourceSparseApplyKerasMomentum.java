package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of KerasMomentum of rows of variables, see {@link OptimizerFormulas.KerasMomentum}. */
@Signature(
        "ResourceSparseApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; use_nesterov: bool = false} stateful")
public record ResourceSparseApplyKerasMomentum(boolean useNesterov) implements OptimizerFormulas.KerasMomentum {}
