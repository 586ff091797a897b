package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** The smaller: {@code z = min(x, y)}. */
@Signature("Minimum(x: T, y: T) -> (z: T) {T: type in [REAL]}")
public record Minimum() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.min(y);
    }

    /** {@code dx = dz where x <= y}, {@code dy = dz} elsewhere. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.input(1), dz = g.gradient(0);
        Value mask = x.lessEqual(y), zero = dz.constantLike(0);
        return Broadcasting.reduce(x, y, Value.where(mask, dz, zero), Value.where(mask, zero, dz));
    }
}
