package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of KerasMomentum of variables, see {@link OptimizerFormulas.KerasMomentum}. */
@Signature(
        "ResourceApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T) -> () {T: type in [NUMBER]; use_locking: bool = false; use_nesterov: bool = false} stateful")
public record ResourceApplyKerasMomentum(boolean useNesterov) implements OptimizerFormulas.KerasMomentum {}
