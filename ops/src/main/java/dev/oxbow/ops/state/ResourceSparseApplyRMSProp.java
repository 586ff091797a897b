package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of RMSProp of rows of variables, see {@link OptimizerFormulas#rmsProp}. */
@Signature(
        "ResourceSparseApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices: Tindices) -> () {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false} stateful")
public record ResourceSparseApplyRMSProp() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.rmsProp(x);
    }
}
