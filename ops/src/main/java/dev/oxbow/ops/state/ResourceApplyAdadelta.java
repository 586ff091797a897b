package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Adadelta of variables, see {@link OptimizerFormulas.Adadelta}. */
@Signature(
        "ResourceApplyAdadelta(var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyAdadelta() implements OptimizerFormulas.Adadelta {}
