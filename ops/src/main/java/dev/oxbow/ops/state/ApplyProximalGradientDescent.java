package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of ProximalGradientDescent of referenced variables, see {@link OptimizerFormulas#proximalGradientDescent}. */
@Signature(
        "ApplyProximalGradientDescent(var: ref T, alpha: T, l1: T, l2: T, delta: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyProximalGradientDescent() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.proximalGradientDescent(x);
    }
}
