package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of AdagradV2 of variables, see {@link OptimizerFormulas#adagradV2}. */
@Signature(
        "ResourceApplyAdagradV2(var: resource, accum: resource, lr: T, epsilon: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false; update_slots: bool = true} stateful")
public record ResourceApplyAdagradV2(boolean updateSlots) implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.adagradV2(x, updateSlots);
    }
}
