package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of FtrlV2 of rows of variables, see {@link OptimizerFormulas.Ftrl}. */
@Signature(
        "ResourceSparseApplyFtrlV2(var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; multiply_linear_by_lr: bool = false} stateful")
public record ResourceSparseApplyFtrlV2(boolean multiplyLinearByLr) implements OptimizerFormulas.Ftrl {}
