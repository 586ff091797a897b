package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of RMSProp of rows of variables, see {@link OptimizerFormulas.RmsProp}. */
@Signature(
        "ResourceSparseApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices: Tindices) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false} stateful")
public record ResourceSparseApplyRMSProp() implements OptimizerFormulas.RmsProp {}
