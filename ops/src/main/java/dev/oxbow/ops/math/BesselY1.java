package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Bessel function of the second kind and order 1. */
@Signature("BesselY1(x: T) -> (y: T) {T: type in [FLOATING]}")
public record BesselY1() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.special(Special.BESSEL_Y1);
    }

    /** {@code dx = dy (y0(x) - y / x)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.output(0), dy = g.gradient(0);
        return List.of(dy.times(Value.apply(new BesselY0(), x).minus(y.dividedBy(x))));
    }
}
