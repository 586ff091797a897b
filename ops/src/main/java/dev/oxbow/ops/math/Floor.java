package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.UnaryOp;

/** The greatest whole number that is not above. */
@Signature("Floor(x: T) -> (y: T) {T: type in [FLOATING]}")
public record Floor() implements UnaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x) {
        return x.floor();
    }
}
