package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.NotDifferentiable;

/** {@code z = x <= y}. */
@Signature("LessEqual(x: T, y: T) -> (z: bool) {T: type in [REAL]}")
public record LessEqual() implements BinaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.lessEqual(y);
    }
}
