package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of FtrlV2 of referenced variables, see {@link OptimizerFormulas.Ftrl}. */
@Signature(
        "ApplyFtrlV2(var: ref T, accum: ref T, linear: ref T, grad: T, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false; multiply_linear_by_lr: bool = false}")
public record ApplyFtrlV2(boolean multiplyLinearByLr) implements OptimizerFormulas.Ftrl {}
