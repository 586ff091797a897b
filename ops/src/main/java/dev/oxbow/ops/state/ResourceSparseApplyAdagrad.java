package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Adagrad of rows of variables, see {@link OptimizerFormulas.Adagrad}. */
@Signature(
        "ResourceSparseApplyAdagrad(var: resource, accum: resource, lr: T, grad: T, indices: Tindices) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; update_slots: bool = true} stateful")
public record ResourceSparseApplyAdagrad(boolean updateSlots) implements OptimizerFormulas.Adagrad {}
