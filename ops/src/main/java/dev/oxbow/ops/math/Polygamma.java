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

/** Derivative of order {@code a} of {@code Digamma}. */
@Signature("Polygamma(a: T, x: T) -> (z: T) {T: type in [FLOAT DOUBLE]}")
public record Polygamma() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr a, Expr x) {
        return a.special(Special.POLYGAMMA, x);
    }

    /** {@code dx = dz polygamma(a + 1, x)}, none for a. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value a = g.input(0), x = g.input(1), dz = g.gradient(0);

        return Broadcasting.reduce(a, x, null, dz.times(Value.apply(new Polygamma(), a.plus(1), x)));
    }
}
