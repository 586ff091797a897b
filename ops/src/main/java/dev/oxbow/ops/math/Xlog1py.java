package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** {@code z = x log(1 + y)}, and 0 where x is 0. */
@Signature("Xlog1py(x: T, y: T) -> (z: T) {T: type in [FLOATING COMPLEX]}")
public record Xlog1py() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.xlog1py(y);
    }

    /** {@code dx = dz log(1 + y)}, {@code dy = dz x / (1 + y)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.input(1), dz = g.gradient(0);

        return Broadcasting.reduce(
                x,
                y,
                dz.times(Value.apply(
                                new Xlog1py(), x.notEqualTo(x.constantLike(0)).cast(x.dtype()), y)
                        .conj()),
                dz.times(Value.apply(new Xdivy(), x, y.plus(1)).conj()));
    }
}
