package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AdagradV2 of rows of referenced variables, see {@link OptimizerFormulas.AdagradV2}. */
@Signature(
        "SparseApplyAdagradV2(var: ref T, accum: ref T, lr: T, epsilon: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; update_slots: bool = true}")
public record SparseApplyAdagradV2(boolean updateSlots) implements OptimizerFormulas.AdagradV2 {}
