package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Inverse of the error function. */
@Signature("Erfinv(x: T) -> (y: T) {T: type in [FLOATING]}")
public record Erfinv() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.special(Special.ERFINV);
    }

    /** {@code dx = dy sqrt(pi) / 2 exp(y^2)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        return List.of(dy.times(Math.sqrt(Math.PI) / 2).times(y.square().exp()));
    }
}
