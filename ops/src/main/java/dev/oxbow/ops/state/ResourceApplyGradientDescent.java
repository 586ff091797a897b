package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of GradientDescent of variables, see {@link OptimizerFormulas.GradientDescent}. */
@Signature(
        "ResourceApplyGradientDescent(var: resource, alpha: T, delta: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyGradientDescent() implements OptimizerFormulas.GradientDescent {}
