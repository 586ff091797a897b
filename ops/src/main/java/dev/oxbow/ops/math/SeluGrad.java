package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Gradient of {@code Selu} by its output: {@code z = y < 0 ? dy (y + scale alpha) : scale dy}. */
@Signature("SeluGrad(gradients: T, outputs: T) -> (backprops: T) {T: type in [FLOATING]}")
public record SeluGrad() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr dy, Expr y) {
        return Expr.select(
                y.less(y.literal(0)), dy.times(y.plus(y.literal(Selu.SCALE_ALPHA))), dy.times(dy.literal(Selu.SCALE)));
    }

    /** This op again, and {@code y < 0 ? dz dy : 0}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.input(0), y = g.input(1), dz = g.gradient(0);
        return List.of(
                Value.apply(new SeluGrad(), dz, y),
                Value.where(y.less(y.constantLike(0)), dz.times(dy), y.constantLike(0)));
    }
}
