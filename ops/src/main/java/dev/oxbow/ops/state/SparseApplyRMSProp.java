package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of RMSProp of rows of referenced variables, see {@link OptimizerFormulas#rmsProp}. */
@Signature(
        "SparseApplyRMSProp(var: ref T, ms: ref T, mom: ref T, lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record SparseApplyRMSProp() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.rmsProp(x);
    }
}
