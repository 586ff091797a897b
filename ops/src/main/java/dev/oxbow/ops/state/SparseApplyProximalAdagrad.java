package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of ProximalAdagrad of rows of referenced variables, see {@link OptimizerFormulas#proximalAdagrad}. */
@Signature(
        "SparseApplyProximalAdagrad(var: ref T, accum: ref T, lr: T, l1: T, l2: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false}")
public record SparseApplyProximalAdagrad() implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.proximalAdagrad(x);
    }
}
