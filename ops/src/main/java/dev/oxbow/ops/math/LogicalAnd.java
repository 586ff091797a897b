package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.NotDifferentiable;

/** {@code z = x and y}. */
@Signature("LogicalAnd(x: bool, y: bool) -> (z: bool) commutative")
public record LogicalAnd() implements BinaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.and(y);
    }
}
