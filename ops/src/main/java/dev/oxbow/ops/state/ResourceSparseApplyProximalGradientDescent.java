package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of ProximalGradientDescent of rows of variables, see {@link OptimizerFormulas.ProximalGradientDescent}. */
@Signature(
        "ResourceSparseApplyProximalGradientDescent(var: resource, alpha: T, l1: T, l2: T, grad: T, indices: Tindices) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false} stateful")
public record ResourceSparseApplyProximalGradientDescent() implements OptimizerFormulas.ProximalGradientDescent {}
