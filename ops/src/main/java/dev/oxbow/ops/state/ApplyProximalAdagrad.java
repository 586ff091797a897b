package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of ProximalAdagrad of referenced variables, see {@link OptimizerFormulas.ProximalAdagrad}. */
@Signature(
        "ApplyProximalAdagrad(var: ref T, accum: ref T, lr: T, l1: T, l2: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyProximalAdagrad() implements OptimizerFormulas.ProximalAdagrad {}
