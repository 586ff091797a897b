package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Modified Bessel function of the second kind and order 1, scaled by {@code exp(x)}. */
@Signature("BesselK1e(x: T) -> (y: T) {T: type in [FLOATING]}")
public record BesselK1e() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.special(Special.BESSEL_K1E);
    }

    /** {@code dx = dy (y (1 - 1 / x) - k0e(x))}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.output(0), dy = g.gradient(0);
        return List.of(dy.times(y.times(x.reciprocal().negated().plus(1)).minus(Value.apply(new BesselK0e(), x))));
    }
}
