package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.BinaryOp;

/** Derivative of {@code Igamma} by its first argument. */
@Signature("IgammaGradA(a: T, x: T) -> (z: T) {T: type in [FLOAT DOUBLE]}")
public record IgammaGradA() implements BinaryOp {

    @Override
    public Expr expression(Expr a, Expr x) {
        return a.special(Special.IGAMMA_GRAD_A, x);
    }
}
