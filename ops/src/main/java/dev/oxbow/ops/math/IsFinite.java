package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.UnaryOp;

/** Whether an element is neither infinite nor NaN. */
@Signature("IsFinite(x: T) -> (y: bool) {T: type in [FLOATING]}")
public record IsFinite() implements UnaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x) {
        return x.isFinite();
    }
}
