package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.UnaryOp;

/** The nearest whole number, halves to even. */
@Signature("Round(x: T) -> (y: T) {T: type in [FLOATING COMPLEX INT8 INT16 INT32 INT64]}")
public record Round() implements UnaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x) {
        return x.round();
    }
}
