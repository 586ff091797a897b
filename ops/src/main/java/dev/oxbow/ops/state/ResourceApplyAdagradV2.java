package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AdagradV2 of variables, see {@link OptimizerFormulas.AdagradV2}. */
@Signature(
        "ResourceApplyAdagradV2(var: resource, accum: resource, lr: T, epsilon: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false; update_slots: bool = true} stateful")
public record ResourceApplyAdagradV2(boolean updateSlots) implements OptimizerFormulas.AdagradV2 {}
