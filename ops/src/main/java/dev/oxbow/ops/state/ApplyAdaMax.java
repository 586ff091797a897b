package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AdaMax of referenced variables, see {@link OptimizerFormulas.AdaMax}. */
@Signature(
        "ApplyAdaMax(var: ref T, m: ref T, v: ref T, beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyAdaMax() implements OptimizerFormulas.AdaMax {}
