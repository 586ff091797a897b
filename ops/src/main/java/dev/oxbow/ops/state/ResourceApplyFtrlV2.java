package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of FtrlV2 of variables, see {@link OptimizerFormulas.Ftrl}. */
@Signature(
        "ResourceApplyFtrlV2(var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T) -> () {T: type in [NUMBER]; use_locking: bool = false; multiply_linear_by_lr: bool = false} stateful")
public record ResourceApplyFtrlV2(boolean multiplyLinearByLr) implements OptimizerFormulas.Ftrl {}
