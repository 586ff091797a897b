package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Quantile of the standard normal distribution. */
@Signature("Ndtri(x: T) -> (y: T) {T: type in [FLOATING]}")
public record Ndtri() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.special(Special.NDTRI);
    }

    /** {@code dx = dy sqrt(2 pi) exp(y^2 / 2)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        return List.of(
                dy.times(Math.sqrt(2 * Math.PI)).times(y.square().times(0.5).exp()));
    }
}
