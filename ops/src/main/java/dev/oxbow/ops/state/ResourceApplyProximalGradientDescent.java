package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of ProximalGradientDescent of variables, see {@link OptimizerFormulas#proximalGradientDescent}. */
@Signature(
        "ResourceApplyProximalGradientDescent(var: resource, alpha: T, l1: T, l2: T, delta: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyProximalGradientDescent() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.proximalGradientDescent(x);
    }
}
