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

/** Upper regularised incomplete gamma function {@code Q(a, x) = 1 - P(a, x)}. */
@Signature("Igammac(a: T, x: T) -> (z: T) {T: type in [FLOATING]}")
public record Igammac() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr a, Expr x) {
        return a.special(Special.IGAMMAC, x);
    }

    /** Those of {@code Igamma}, negated. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value a = g.input(0), x = g.input(1), dz = g.gradient(0);

        return Broadcasting.reduce(
                a,
                x,
                dz.times(Value.apply(new IgammaGradA(), a, x)).negated(),
                dz.times(x.negated()
                                .plus(a.minus(1).times(x.log()))
                                .minus(Value.apply(new Lgamma(), a))
                                .exp())
                        .negated());
    }
}
