package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.NotDifferentiable;

/** {@code z = x or y}. */
@Signature("LogicalOr(x: bool, y: bool) -> (z: bool) commutative")
public record LogicalOr() implements BinaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.or(y);
    }
}
