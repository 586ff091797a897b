package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of Adagrad of referenced variables, see {@link OptimizerFormulas#adagrad}. */
@Signature(
        "ApplyAdagrad(var: ref T, accum: ref T, lr: T, grad: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false; update_slots: bool = true}")
public record ApplyAdagrad(boolean updateSlots) implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.adagrad(x, updateSlots);
    }
}
