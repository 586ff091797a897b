package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.NotDifferentiable;

/** {@code z = x << y}. */
@Signature("LeftShift(x: T, y: T) -> (z: T) {T: type in [INTEGER]}")
public record LeftShift() implements BinaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.shiftLeft(y);
    }
}
