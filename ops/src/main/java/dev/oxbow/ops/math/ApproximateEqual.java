package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.NotDifferentiable;

/** {@code z = |x - y| < tolerance}. */
@Signature("ApproximateEqual(x: T, y: T) -> (z: bool) {T: type in [NUMBER]; tolerance: float = 1.0E-5} commutative")
public record ApproximateEqual(float tolerance) implements BinaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.approximatelyEqual(y, tolerance);
    }
}
