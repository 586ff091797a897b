package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of RMSProp of variables, see {@link OptimizerFormulas.RmsProp}. */
@Signature(
        "ResourceApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyRMSProp() implements OptimizerFormulas.RmsProp {}
