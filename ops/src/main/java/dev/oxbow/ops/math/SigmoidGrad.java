package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Gradient of {@code Sigmoid} by its output: {@code z = dy y (1 - y)}; callers conjugate y. */
@Signature("SigmoidGrad(y: T, dy: T) -> (z: T) {T: type in [FLOATING COMPLEX]}")
public record SigmoidGrad() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr y, Expr dy) {
        return dy.times(y).times(y.literal(1).minus(y));
    }

    /** {@code dy = dz conj(dy) (1 - 2 conj(y))}, and of {@code dy} this op again. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.input(0), dy = g.input(1), dz = g.gradient(0);
        return List.of(
                dz.times(dy.conj()).times(y.conj().times(-2).plus(1)), Value.apply(new SigmoidGrad(), y.conj(), dz));
    }
}
