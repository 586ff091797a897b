package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** {@code z = conj(x - y) (x - y)}. */
@Signature("SquaredDifference(x: T, y: T) -> (z: T) {T: type in [FLOATING COMPLEX INT32 INT64]} commutative")
public record SquaredDifference() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.squaredDifference(y);
    }

    /** {@code dx = 2 dz (x - y)}, {@code dy = -dx}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.input(1), dz = g.gradient(0);
        Value d = dz.times(2).times(x.minus(y));
        return Broadcasting.reduce(x, y, d, d.negated());
    }
}
