package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Adadelta of referenced variables, see {@link OptimizerFormulas.Adadelta}. */
@Signature(
        "ApplyAdadelta(var: ref T, accum: ref T, accum_update: ref T, lr: T, rho: T, epsilon: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyAdadelta() implements OptimizerFormulas.Adadelta {}
