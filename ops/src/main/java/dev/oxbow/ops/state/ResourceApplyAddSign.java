package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AddSign of variables, see {@link OptimizerFormulas.AddSign}. */
@Signature(
        "ResourceApplyAddSign(var: resource, m: resource, lr: T, alpha: T, sign_decay: T, beta: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyAddSign() implements OptimizerFormulas.AddSign {}
