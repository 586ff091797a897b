package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AdagradDA of referenced variables, see {@link OptimizerFormulas.AdagradDa}. */
@Signature(
        "ApplyAdagradDA(var: ref T, gradient_accumulator: ref T, gradient_squared_accumulator: ref T, grad: T, lr: T, l1: T, l2: T, global_step: int64) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyAdagradDA() implements OptimizerFormulas.AdagradDa {}
