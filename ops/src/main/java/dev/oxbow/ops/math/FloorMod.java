package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Remainder with the sign of the divisor: {@code z = x - y floor(x / y)}. */
@Signature("FloorMod(x: T, y: T) -> (z: T) {T: type in [REAL]}")
public record FloorMod() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.floorMod(y);
    }

    /** {@code dx = dz}, {@code dy = -dz floor(x / y)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.input(1), dz = g.gradient(0);

        return Broadcasting.reduce(
                x, y, dz, dz.times(Value.apply(new FloorDiv(), x, y).negated()));
    }
}
