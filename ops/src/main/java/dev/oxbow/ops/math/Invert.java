package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.UnaryOp;

/** Every bit turned: {@code y = ~x}. */
@Signature("Invert(x: T) -> (y: T) {T: type in [INTEGER]}")
public record Invert() implements UnaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x) {
        return x.not();
    }
}
