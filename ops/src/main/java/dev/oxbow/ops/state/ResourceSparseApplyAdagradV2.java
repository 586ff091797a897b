package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AdagradV2 of rows of variables, see {@link OptimizerFormulas.AdagradV2}. */
@Signature(
        "ResourceSparseApplyAdagradV2(var: resource, accum: resource, lr: T, epsilon: T, grad: T, indices: Tindices) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; update_slots: bool = true} stateful")
public record ResourceSparseApplyAdagradV2(boolean updateSlots) implements OptimizerFormulas.AdagradV2 {}
