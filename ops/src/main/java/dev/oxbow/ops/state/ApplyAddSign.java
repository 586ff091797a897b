package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AddSign of referenced variables, see {@link OptimizerFormulas.AddSign}. */
@Signature(
        "ApplyAddSign(var: ref T, m: ref T, lr: T, alpha: T, sign_decay: T, beta: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyAddSign() implements OptimizerFormulas.AddSign {}
