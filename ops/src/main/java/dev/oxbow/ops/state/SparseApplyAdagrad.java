package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of Adagrad of rows of referenced variables, see {@link OptimizerFormulas#adagrad}. */
@Signature(
        "SparseApplyAdagrad(var: ref T, accum: ref T, lr: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; update_slots: bool = true}")
public record SparseApplyAdagrad(boolean updateSlots) implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.adagrad(x, updateSlots);
    }
}
