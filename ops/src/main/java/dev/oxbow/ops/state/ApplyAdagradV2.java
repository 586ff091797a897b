package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of AdagradV2 of referenced variables, see {@link OptimizerFormulas#adagradV2}. */
@Signature(
        "ApplyAdagradV2(var: ref T, accum: ref T, lr: T, epsilon: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false; update_slots: bool = true}")
public record ApplyAdagradV2(boolean updateSlots) implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.adagradV2(x, updateSlots);
    }
}
