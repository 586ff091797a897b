package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of ProximalAdagrad of variables, see {@link OptimizerFormulas.ProximalAdagrad}. */
@Signature(
        "ResourceApplyProximalAdagrad(var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyProximalAdagrad() implements OptimizerFormulas.ProximalAdagrad {}
