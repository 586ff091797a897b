package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of GradientDescent of variables, see {@link OptimizerFormulas#gradientDescent}. */
@Signature(
        "ResourceApplyGradientDescent(var: resource, alpha: T, delta: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyGradientDescent() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.gradientDescent(x);
    }
}
