package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.NotDifferentiable;

/** Quotient rounded down: {@code z = floor(x / y)}. */
@Signature("FloorDiv(x: T, y: T) -> (z: T) {T: type in [REAL COMPLEX]}")
public record FloorDiv() implements BinaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.floorDiv(y);
    }
}
