package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of Adagrad of variables, see {@link OptimizerFormulas#adagrad}. */
@Signature(
        "ResourceApplyAdagrad(var: resource, accum: resource, lr: T, grad: T) -> () {T: type in [NUMBER]; use_locking: bool = false; update_slots: bool = true} stateful")
public record ResourceApplyAdagrad(boolean updateSlots) implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.adagrad(x, updateSlots);
    }
}
