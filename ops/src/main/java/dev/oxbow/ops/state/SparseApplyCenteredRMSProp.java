package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of CenteredRMSProp of rows of referenced variables, see {@link OptimizerFormulas#centeredRmsProp}. */
@Signature(
        "SparseApplyCenteredRMSProp(var: ref T, mg: ref T, ms: ref T, mom: ref T, lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record SparseApplyCenteredRMSProp() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.centeredRmsProp(x);
    }
}
