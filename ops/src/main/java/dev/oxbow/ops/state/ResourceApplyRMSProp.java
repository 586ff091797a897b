package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of RMSProp of variables, see {@link OptimizerFormulas#rmsProp}. */
@Signature(
        "ResourceApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false} stateful")
public record ResourceApplyRMSProp() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.rmsProp(x);
    }
}
