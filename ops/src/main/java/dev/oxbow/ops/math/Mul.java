package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Product: {@code z = x y}. */
@Signature("Mul(x: T, y: T) -> (z: T) {T: type in [REAL COMPLEX]} commutative")
public record Mul() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.times(y);
    }

    /** {@code dx = dz conj(y)}, {@code dy = dz conj(x)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.input(1), dz = g.gradient(0);
        return Broadcasting.reduce(x, y, dz.times(y.conj()), dz.times(x.conj()));
    }
}
