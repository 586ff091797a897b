package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Adagrad of referenced variables, see {@link OptimizerFormulas.Adagrad}. */
@Signature(
        "ApplyAdagrad(var: ref T, accum: ref T, lr: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false; update_slots: bool = true}")
public record ApplyAdagrad(boolean updateSlots) implements OptimizerFormulas.Adagrad {}
