package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Gradient of {@code Tanh} by its output: {@code z = dy (1 - y^2)}; callers conjugate y. */
@Signature("TanhGrad(y: T, dy: T) -> (z: T) {T: type in [FLOATING COMPLEX]}")
public record TanhGrad() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr y, Expr dy) {
        return dy.times(y.literal(1).minus(y.square()));
    }

    /** {@code dy = -2 dz conj(dy) conj(y)}, and of {@code dy} this op again. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.input(0), dy = g.input(1), dz = g.gradient(0);
        return List.of(dz.times(-2).times(dy.conj()).times(y.conj()), Value.apply(new TanhGrad(), y.conj(), dz));
    }
}
