package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of AdaMax of referenced variables, see {@link OptimizerFormulas#adaMax}. */
@Signature(
        "ApplyAdaMax(var: ref T, m: ref T, v: ref T, beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyAdaMax() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.adaMax(x);
    }
}
