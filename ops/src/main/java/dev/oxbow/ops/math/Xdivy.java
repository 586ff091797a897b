package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** {@code z = x / y}, and 0 where x is 0. */
@Signature("Xdivy(x: T, y: T) -> (z: T) {T: type in [FLOATING COMPLEX]}")
public record Xdivy() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.xdivy(y);
    }

    /** {@code dx = dz / y}, {@code dy = -dz x / y^2}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.input(1), dz = g.gradient(0);

        return Broadcasting.reduce(
                x,
                y,
                dz.times(
                        Value.apply(new Xdivy(), x.notEqualTo(x.constantLike(0)).cast(x.dtype()), y)
                                .conj()),
                dz.times(Value.apply(new Xdivy(), x.negated(), y.square()).conj()));
    }
}
