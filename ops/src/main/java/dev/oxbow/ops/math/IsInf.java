package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.UnaryOp;

/** Whether an element is infinite. */
@Signature("IsInf(x: T) -> (y: bool) {T: type in [FLOATING]}")
public record IsInf() implements UnaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x) {
        return x.isInf();
    }
}
