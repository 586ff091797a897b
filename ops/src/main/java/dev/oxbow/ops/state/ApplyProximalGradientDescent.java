package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of ProximalGradientDescent of referenced variables, see {@link OptimizerFormulas.ProximalGradientDescent}. */
@Signature(
        "ApplyProximalGradientDescent(var: ref T, alpha: T, l1: T, l2: T, delta: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyProximalGradientDescent() implements OptimizerFormulas.ProximalGradientDescent {}
