package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** The angle of the point {@code (x, y)}. */
@Signature("Atan2(y: T, x: T) -> (z: T) {T: type in [FLOATING]}")
public record Atan2() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr y, Expr x) {
        return y.atan2(x);
    }

    /** {@code dy = dz x / (x^2 + y^2)}, {@code dx = -dz y / (x^2 + y^2)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.input(0), x = g.input(1), dz = g.gradient(0);
        Value d = dz.dividedBy(x.square().plus(y.square()));
        return Broadcasting.reduce(y, x, x.times(d), y.negated().times(d));
    }
}
