package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of Adadelta of variables, see {@link OptimizerFormulas#adadelta}. */
@Signature(
        "ResourceApplyAdadelta(var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyAdadelta() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.adadelta(x);
    }
}
