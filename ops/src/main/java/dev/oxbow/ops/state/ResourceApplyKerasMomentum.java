package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of KerasMomentum of variables, see {@link OptimizerFormulas#kerasMomentum}. */
@Signature(
        "ResourceApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T) -> () {T: type in [NUMBER]; use_locking: bool = false; use_nesterov: bool = false} stateful")
public record ResourceApplyKerasMomentum(boolean useNesterov) implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.kerasMomentum(x, useNesterov);
    }
}
