package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Modified Bessel function of the second kind and order 0, scaled by {@code exp(x)}. */
@Signature("BesselK0e(x: T) -> (y: T) {T: type in [FLOATING]}")
public record BesselK0e() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.special(Special.BESSEL_K0E);
    }

    /** {@code dx = dy (y - k1e(x))}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.output(0), dy = g.gradient(0);
        return List.of(dy.times(y.minus(Value.apply(new BesselK1e(), x))));
    }
}
