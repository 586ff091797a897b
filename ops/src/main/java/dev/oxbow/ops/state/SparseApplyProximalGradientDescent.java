package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of ProximalGradientDescent of rows of referenced variables, see {@link OptimizerFormulas.ProximalGradientDescent}. */
@Signature(
        "SparseApplyProximalGradientDescent(var: ref T, alpha: T, l1: T, l2: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record SparseApplyProximalGradientDescent() implements OptimizerFormulas.ProximalGradientDescent {}
