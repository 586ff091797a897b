package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of PowerSign of variables, see {@link OptimizerFormulas.PowerSign}. */
@Signature(
        "ResourceApplyPowerSign(var: resource, m: resource, lr: T, logbase: T, sign_decay: T, beta: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyPowerSign() implements OptimizerFormulas.PowerSign {}
