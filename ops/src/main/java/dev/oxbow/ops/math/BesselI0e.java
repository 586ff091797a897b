package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Modified Bessel function of the first kind and order 0, scaled by {@code exp(-|x|)}. */
@Signature("BesselI0e(x: T) -> (y: T) {T: type in [FLOATING]}")
public record BesselI0e() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.special(Special.BESSEL_I0E);
    }

    /** {@code dx = dy (i1e(x) - sign(x) y)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.output(0), dy = g.gradient(0);
        return List.of(dy.times(Value.apply(new BesselI1e(), x).minus(x.sign().times(y))));
    }
}
