package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Momentum of referenced variables, see {@link OptimizerFormulas.Momentum}. */
@Signature(
        "ApplyMomentum(var: ref T, accum: ref T, lr: T, grad: T, momentum: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false; use_nesterov: bool = false}")
public record ApplyMomentum(boolean useNesterov) implements OptimizerFormulas.Momentum {}
