package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Gradient of {@code Sqrt} by its output: {@code z = dy / 2 conj(y)}. */
@Signature("SqrtGrad(y: T, dy: T) -> (z: T) {T: type in [FLOATING COMPLEX]}")
public record SqrtGrad() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr y, Expr dy) {
        return dy.times(dy.literal(0.5)).dividedBy(y.conj());
    }

    /** {@code dy = -conj(dz / y) z}, and of {@code dy}: {@code dz / 2 y}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.input(0), z = g.output(0), dz = g.gradient(0);
        return List.of(
                dz.dividedBy(y).conj().negated().times(z), dz.dividedBy(y).times(0.5));
    }
}
