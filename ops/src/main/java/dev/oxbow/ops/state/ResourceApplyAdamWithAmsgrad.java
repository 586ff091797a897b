package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of AdamWithAmsgrad of variables, see {@link OptimizerFormulas#amsgrad}. */
@Signature(
        "ResourceApplyAdamWithAmsgrad(var: resource, m: resource, v: resource, vhat: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyAdamWithAmsgrad() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.amsgrad(x);
    }
}
