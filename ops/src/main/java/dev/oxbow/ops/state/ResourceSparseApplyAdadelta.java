package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Adadelta of rows of variables, see {@link OptimizerFormulas.Adadelta}. */
@Signature(
        "ResourceSparseApplyAdadelta(var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad: T, indices: Tindices) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false} stateful")
public record ResourceSparseApplyAdadelta() implements OptimizerFormulas.Adadelta {}
