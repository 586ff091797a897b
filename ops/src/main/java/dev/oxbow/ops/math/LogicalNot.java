package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.UnaryOp;

/** Negation of truth: {@code y = not x}. */
@Signature("LogicalNot(x: bool) -> (y: bool)")
public record LogicalNot() implements UnaryOp, NotDifferentiable {

    @Override
    public Expr expression(Expr x) {
        return x.not();
    }
}
