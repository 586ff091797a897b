package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Adadelta of rows of referenced variables, see {@link OptimizerFormulas.Adadelta}. */
@Signature(
        "SparseApplyAdadelta(var: ref T, accum: ref T, accum_update: ref T, lr: T, rho: T, epsilon: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record SparseApplyAdadelta() implements OptimizerFormulas.Adadelta {}
