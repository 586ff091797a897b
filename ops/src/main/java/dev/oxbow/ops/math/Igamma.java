package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Lower regularised incomplete gamma function {@code P(a, x)}. */
@Signature("Igamma(a: T, x: T) -> (z: T) {T: type in [FLOATING]}")
public record Igamma() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr a, Expr x) {
        return a.special(Special.IGAMMA, x);
    }

    /** {@code dx = dz exp(-x) x^(a - 1) / gamma(a)}. {@code IgammaGradA} gives {@code da}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value a = g.input(0), x = g.input(1), dz = g.gradient(0);

        return Broadcasting.reduce(
                a,
                x,
                dz.times(Value.apply(new IgammaGradA(), a, x)),
                dz.times(x.negated()
                        .plus(a.minus(1).times(x.log()))
                        .minus(Value.apply(new Lgamma(), a))
                        .exp()));
    }
}
