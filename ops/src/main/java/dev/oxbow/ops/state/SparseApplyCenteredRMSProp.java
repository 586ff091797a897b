package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of CenteredRMSProp of rows of referenced variables, see {@link OptimizerFormulas.CenteredRmsProp}. */
@Signature(
        "SparseApplyCenteredRMSProp(var: ref T, mg: ref T, ms: ref T, mom: ref T, lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record SparseApplyCenteredRMSProp() implements OptimizerFormulas.CenteredRmsProp {}
