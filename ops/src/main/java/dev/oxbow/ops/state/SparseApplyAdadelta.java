package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of Adadelta of rows of referenced variables, see {@link OptimizerFormulas#adadelta}. */
@Signature(
        "SparseApplyAdadelta(var: ref T, accum: ref T, accum_update: ref T, lr: T, rho: T, epsilon: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record SparseApplyAdadelta() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.adadelta(x);
    }
}
