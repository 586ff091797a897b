package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.NotDifferentiable;

/** Bits that either has: {@code z = x | y}. */
@Signature("BitwiseOr(x: T, y: T) -> (z: T) {T: type in [INTEGER]} commutative")
public record BitwiseOr() implements BinaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.or(y);
    }
}
