package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.UnaryOp;

/** The nearest whole number, halves to even. */
@Signature("Rint(x: T) -> (y: T) {T: type in [FLOATING]}")
public record Rint() implements UnaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x) {
        return x.round();
    }
}
