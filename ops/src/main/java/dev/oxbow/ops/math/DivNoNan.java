package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Quotient, and 0 where the divisor is 0. */
@Signature("DivNoNan(x: T, y: T) -> (z: T) {T: type in [FLOATING COMPLEX]}")
public record DivNoNan() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.divNoNan(y);
    }

    /** {@code dx = dz / y}, {@code dy = -dz x / y^2}, both 0 where y is 0. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.input(1), dz = g.gradient(0);

        return Broadcasting.reduce(
                x, y, divide(dz, y.conj()), dz.times(divide(divide(x.conj().negated(), y.conj()), y.conj())));
    }

    private static Value divide(Value a, Value b) {
        return Value.apply(new DivNoNan(), a, b);
    }
}
