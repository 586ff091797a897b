package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of CenteredRMSProp of rows of variables, see {@link OptimizerFormulas.CenteredRmsProp}. */
@Signature(
        "ResourceSparseApplyCenteredRMSProp(var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices: Tindices) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false} stateful")
public record ResourceSparseApplyCenteredRMSProp() implements OptimizerFormulas.CenteredRmsProp {}
