package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;

/** Remainder with the sign of the dividend. */
@Signature("TruncateMod(x: T, y: T) -> (z: T) {T: type in [FLOATING INT32 INT64]}")
public record TruncateMod() implements BinaryOp {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.truncateMod(y);
    }
}
