package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of RMSProp of rows of referenced variables, see {@link OptimizerFormulas.RmsProp}. */
@Signature(
        "SparseApplyRMSProp(var: ref T, ms: ref T, mom: ref T, lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record SparseApplyRMSProp() implements OptimizerFormulas.RmsProp {}
