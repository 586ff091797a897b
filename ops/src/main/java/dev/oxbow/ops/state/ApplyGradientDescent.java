package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of GradientDescent of referenced variables, see {@link OptimizerFormulas.GradientDescent}. */
@Signature(
        "ApplyGradientDescent(var: ref T, alpha: T, delta: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyGradientDescent() implements OptimizerFormulas.GradientDescent {}
