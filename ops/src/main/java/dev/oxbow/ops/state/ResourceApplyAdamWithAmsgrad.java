package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AdamWithAmsgrad of variables, see {@link OptimizerFormulas.Amsgrad}. */
@Signature(
        "ResourceApplyAdamWithAmsgrad(var: resource, m: resource, v: resource, vhat: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyAdamWithAmsgrad() implements OptimizerFormulas.Amsgrad {}
