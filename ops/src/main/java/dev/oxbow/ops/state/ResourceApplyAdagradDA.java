package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;

/** A step of AdagradDA of variables, see {@link OptimizerFormulas.AdagradDa}. */
@Signature(
        "ResourceApplyAdagradDA(var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, grad: T, lr: T, l1: T, l2: T, global_step: int64) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyAdagradDA() implements OptimizerFormulas.AdagradDa {}
