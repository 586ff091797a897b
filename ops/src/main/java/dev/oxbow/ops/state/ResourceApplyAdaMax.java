package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of AdaMax of variables, see {@link OptimizerFormulas#adaMax}. */
@Signature(
        "ResourceApplyAdaMax(var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyAdaMax() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.adaMax(x);
    }
}
