package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Gradient of {@code Rsqrt} by its output: {@code z = -dy conj(y)^3 / 2}. */
@Signature("RsqrtGrad(y: T, dy: T) -> (z: T) {T: type in [FLOATING COMPLEX]}")
public record RsqrtGrad() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr y, Expr dy) {
        return dy.times(dy.literal(-0.5)).times(y.conj().square().times(y.conj()));
    }

    /** {@code dy = -3 / 2 conj(dz) dy conj(y)^2}, and of {@code dy} this op again. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.input(0), dy = g.input(1), dz = g.gradient(0);
        return List.of(
                dz.conj().times(-1.5).times(dy).times(y.conj().square()), Value.apply(new RsqrtGrad(), y.conj(), dz));
    }
}
