package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of AddSign of variables, see {@link OptimizerFormulas#addSign}. */
@Signature(
        "ResourceApplyAddSign(var: resource, m: resource, lr: T, alpha: T, sign_decay: T, beta: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyAddSign() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.addSign(x);
    }
}
