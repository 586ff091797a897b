package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of PowerSign of referenced variables, see {@link OptimizerFormulas#powerSign}. */
@Signature(
        "ApplyPowerSign(var: ref T, m: ref T, lr: T, logbase: T, sign_decay: T, beta: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyPowerSign() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.powerSign(x);
    }
}
