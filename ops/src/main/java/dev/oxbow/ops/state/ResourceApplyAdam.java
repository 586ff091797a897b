package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Adam of variables, see {@link OptimizerFormulas.Adam}. */
@Signature(
        "ResourceApplyAdam(var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false; use_nesterov: bool = false} stateful")
public record ResourceApplyAdam(boolean useNesterov) implements OptimizerFormulas.Adam {}
