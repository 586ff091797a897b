package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Adagrad of rows of referenced variables, see {@link OptimizerFormulas.Adagrad}. */
@Signature(
        "SparseApplyAdagrad(var: ref T, accum: ref T, lr: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; update_slots: bool = true}")
public record SparseApplyAdagrad(boolean updateSlots) implements OptimizerFormulas.Adagrad {}
