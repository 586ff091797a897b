package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of GradientDescent of referenced variables, see {@link OptimizerFormulas#gradientDescent}. */
@Signature(
        "ApplyGradientDescent(var: ref T, alpha: T, delta: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyGradientDescent() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.gradientDescent(x);
    }
}
