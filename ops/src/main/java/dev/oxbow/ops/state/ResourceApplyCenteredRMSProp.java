package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of CenteredRMSProp of variables, see {@link OptimizerFormulas.CenteredRmsProp}. */
@Signature(
        "ResourceApplyCenteredRMSProp(var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyCenteredRMSProp() implements OptimizerFormulas.CenteredRmsProp {}
