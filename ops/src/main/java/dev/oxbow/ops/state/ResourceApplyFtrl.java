package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of Ftrl of variables, see {@link OptimizerFormulas.Ftrl}. */
@Signature(
        "ResourceApplyFtrl(var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, lr_power: T) -> () {T: type in [NUMBER]; use_locking: bool = false; multiply_linear_by_lr: bool = false} stateful")
public record ResourceApplyFtrl(boolean multiplyLinearByLr) implements OptimizerFormulas.Ftrl {}
