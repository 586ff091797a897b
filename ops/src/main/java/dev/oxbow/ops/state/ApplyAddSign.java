package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of AddSign of referenced variables, see {@link OptimizerFormulas#addSign}. */
@Signature(
        "ApplyAddSign(var: ref T, m: ref T, lr: T, alpha: T, sign_decay: T, beta: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false}")
public record ApplyAddSign() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.addSign(x);
    }
}
