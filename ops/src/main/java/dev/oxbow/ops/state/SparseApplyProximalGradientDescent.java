package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of ProximalGradientDescent of rows of referenced variables, see {@link OptimizerFormulas#proximalGradientDescent}. */
@Signature(
        "SparseApplyProximalGradientDescent(var: ref T, alpha: T, l1: T, l2: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record SparseApplyProximalGradientDescent() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.proximalGradientDescent(x);
    }
}
