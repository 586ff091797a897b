package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AdagradV2 of referenced variables, see {@link OptimizerFormulas.AdagradV2}. */
@Signature(
        "ApplyAdagradV2(var: ref T, accum: ref T, lr: T, epsilon: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false; update_slots: bool = true}")
public record ApplyAdagradV2(boolean updateSlots) implements OptimizerFormulas.AdagradV2 {}
