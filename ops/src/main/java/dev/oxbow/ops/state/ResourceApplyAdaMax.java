package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AdaMax of variables, see {@link OptimizerFormulas.AdaMax}. */
@Signature(
        "ResourceApplyAdaMax(var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyAdaMax() implements OptimizerFormulas.AdaMax {}
