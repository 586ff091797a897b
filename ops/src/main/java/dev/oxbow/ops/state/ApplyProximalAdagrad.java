package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of ProximalAdagrad of referenced variables, see {@link OptimizerFormulas#proximalAdagrad}. */
@Signature(
        "ApplyProximalAdagrad(var: ref T, accum: ref T, lr: T, l1: T, l2: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyProximalAdagrad() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.proximalAdagrad(x);
    }
}
