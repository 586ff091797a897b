package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of AdagradV2 of rows of referenced variables, see {@link OptimizerFormulas#adagradV2}. */
@Signature(
        "SparseApplyAdagradV2(var: ref T, accum: ref T, lr: T, epsilon: T, grad: T, indices: Tindices) -> (out: ref T) {T: type in [NUMBER]; Tindices: type in [INT32 INT64]; use_locking: bool = false; update_slots: bool = true}")
public record SparseApplyAdagradV2(boolean updateSlots) implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.adagradV2(x, updateSlots);
    }
}
