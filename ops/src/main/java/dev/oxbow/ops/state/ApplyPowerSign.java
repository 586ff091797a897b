package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of PowerSign of referenced variables, see {@link OptimizerFormulas.PowerSign}. */
@Signature(
        "ApplyPowerSign(var: ref T, m: ref T, lr: T, logbase: T, sign_decay: T, beta: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyPowerSign() implements OptimizerFormulas.PowerSign {}
