package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.NotDifferentiable;

/** Bits that both have: {@code z = x & y}. */
@Signature("BitwiseAnd(x: T, y: T) -> (z: T) {T: type in [INTEGER]} commutative")
public record BitwiseAnd() implements BinaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.and(y);
    }
}
