package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Ftrl of referenced variables, see {@link OptimizerFormulas.Ftrl}. */
@Signature(
        "ApplyFtrl(var: ref T, accum: ref T, linear: ref T, grad: T, lr: T, l1: T, l2: T, lr_power: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false; multiply_linear_by_lr: bool = false}")
public record ApplyFtrl(boolean multiplyLinearByLr) implements OptimizerFormulas.Ftrl {}
