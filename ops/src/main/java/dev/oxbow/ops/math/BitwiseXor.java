package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.NotDifferentiable;

/** Bits that differ: {@code z = x ^ y}. */
@Signature("BitwiseXor(x: T, y: T) -> (z: T) {T: type in [INTEGER]} commutative")
public record BitwiseXor() implements BinaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.xor(y);
    }
}
