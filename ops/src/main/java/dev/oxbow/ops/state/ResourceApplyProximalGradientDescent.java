package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of ProximalGradientDescent of variables, see {@link OptimizerFormulas.ProximalGradientDescent}. */
@Signature(
        "ResourceApplyProximalGradientDescent(var: resource, alpha: T, l1: T, l2: T, delta: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyProximalGradientDescent() implements OptimizerFormulas.ProximalGradientDescent {}
