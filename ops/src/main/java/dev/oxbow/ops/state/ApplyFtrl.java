package dev.oxbow.ops.state;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import java.util.List;

/** A step of Ftrl of referenced variables, see {@link OptimizerFormulas#ftrl}. */
@Signature(
        "ApplyFtrl(var: ref T, accum: ref T, linear: ref T, grad: T, lr: T, l1: T, l2: T, lr_power: T) -> (out: ref T) {T: type in [NUMBER]; use_locking: bool = false; multiply_linear_by_lr: bool = false}")
public record ApplyFtrl(boolean multiplyLinearByLr) implements OptimizerStep {

    @Override
    public List<Expr> step(OptimizerInputs x) {
        return OptimizerFormulas.ftrl(x, multiplyLinearByLr);
    }
}
