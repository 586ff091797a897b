package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Momentum of rows of referenced variables, see {@link OptimizerFormulas.Momentum}. */
@Signature(
        "SparseApplyMomentum(var: ref T, accum: ref T, lr: T, grad: T, indices: Tindices, momentum: T) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; use_nesterov: bool = false}")
public record SparseApplyMomentum(boolean useNesterov) implements OptimizerFormulas.Momentum {}
