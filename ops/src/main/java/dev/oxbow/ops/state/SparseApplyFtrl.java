package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Ftrl of rows of referenced variables, see {@link OptimizerFormulas.Ftrl}. */
@Signature(
        "SparseApplyFtrl(var: ref T, accum: ref T, linear: ref T, grad: T, indices: Tindices, lr: T, l1: T, l2: T, lr_power: T) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; multiply_linear_by_lr: bool = false}")
public record SparseApplyFtrl(boolean multiplyLinearByLr) implements OptimizerFormulas.Ftrl {}
