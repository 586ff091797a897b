package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Gradient of {@code Reciprocal} by its output: {@code z = -dy conj(y)^2}. */
@Signature("InvGrad(y: T, dy: T) -> (z: T) {T: type in [FLOATING COMPLEX]}")
public record InvGrad() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr y, Expr dy) {
        return dy.negated().times(y.conj().square());
    }

    /** {@code dy = -2 conj(dz) dy conj(y)}, and of {@code dy} this op again. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.input(0), dy = g.input(1), dz = g.gradient(0);
        return List.of(dz.conj().times(-2).times(dy).times(y.conj()), Value.apply(new ReciprocalGrad(), y.conj(), dz));
    }
}
