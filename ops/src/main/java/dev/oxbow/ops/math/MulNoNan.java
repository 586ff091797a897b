package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Product, and 0 where {@code y} is 0 even if x is infinite or NaN. */
@Signature("MulNoNan(x: T, y: T) -> (z: T) {T: type in [FLOATING COMPLEX]}")
public record MulNoNan() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.mulNoNan(y);
    }

    /** {@code dx = dz y}, {@code dy = x dz}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.input(1), dz = g.gradient(0);

        return Broadcasting.reduce(x, y, Value.apply(new MulNoNan(), dz, y), Value.apply(new MulNoNan(), x, dz));
    }
}
