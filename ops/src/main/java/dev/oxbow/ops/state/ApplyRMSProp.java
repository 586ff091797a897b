package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of RMSProp of referenced variables, see {@link OptimizerFormulas.RmsProp}. */
@Signature(
        "ApplyRMSProp(var: ref T, ms: ref T, mom: ref T, lr: T, rho: T, momentum: T, epsilon: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyRMSProp() implements OptimizerFormulas.RmsProp {}
