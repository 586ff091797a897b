package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Momentum of variables, see {@link OptimizerFormulas.Momentum}. */
@Signature(
        "ResourceApplyMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T) -> () {T: type in [NUMBER]; use_locking: bool = false; use_nesterov: bool = false} stateful")
public record ResourceApplyMomentum(boolean useNesterov) implements OptimizerFormulas.Momentum {}
