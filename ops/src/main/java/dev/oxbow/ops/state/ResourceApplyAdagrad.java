package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Adagrad of variables, see {@link OptimizerFormulas.Adagrad}. */
@Signature(
        "ResourceApplyAdagrad(var: resource, accum: resource, lr: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false; update_slots: bool = true} stateful")
public record ResourceApplyAdagrad(boolean updateSlots) implements OptimizerFormulas.Adagrad {}
