package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Adam of referenced variables, see {@link OptimizerFormulas.Adam}. */
@Signature(
        "ApplyAdam(var: ref T, m: ref T, v: ref T, beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false; use_nesterov: bool = false}")
public record ApplyAdam(boolean useNesterov) implements OptimizerFormulas.Adam {}
