package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of Momentum of variables, see {@link OptimizerFormulas#momentum}. */
@Signature(
        "ResourceApplyMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T) -> () {T: type in [NUMBER]; use_locking: bool = false; use_nesterov: bool = false} stateful")
public record ResourceApplyMomentum(boolean useNesterov) implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.momentum(x, useNesterov);
    }
}
