package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** The next representable value after {@code x} towards {@code y}. */
@Signature("NextAfter(x1: T, x2: T) -> (output: T) {T: type in [DOUBLE FLOAT] = FLOAT}")
public record NextAfter() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.nextAfter(y);
    }

    /** {@code dx = dz}, {@code dy = 0}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.input(1), dz = g.gradient(0);

        return Broadcasting.reduce(x, y, dz, dz.times(0));
    }
}
