package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Bessel function of the first kind and order 0. */
@Signature("BesselJ0(x: T) -> (y: T) {T: type in [FLOATING]}")
public record BesselJ0() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.special(Special.BESSEL_J0);
    }

    /** {@code dx = dy (-j1(x))}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(dy.times(Value.apply(new BesselJ1(), x).negated()));
    }
}
