package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of ProximalAdagrad of rows of referenced variables, see {@link OptimizerFormulas.ProximalAdagrad}. */
@Signature(
        "SparseApplyProximalAdagrad(var: ref T, accum: ref T, lr: T, l1: T, l2: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record SparseApplyProximalAdagrad() implements OptimizerFormulas.ProximalAdagrad {}
