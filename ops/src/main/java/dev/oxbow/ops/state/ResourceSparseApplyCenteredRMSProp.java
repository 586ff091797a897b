package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of CenteredRMSProp of rows of variables, see {@link OptimizerFormulas#centeredRmsProp}. */
@Signature(
        "ResourceSparseApplyCenteredRMSProp(var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices: Tindices) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false} stateful")
public record ResourceSparseApplyCenteredRMSProp() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.centeredRmsProp(x);
    }
}
