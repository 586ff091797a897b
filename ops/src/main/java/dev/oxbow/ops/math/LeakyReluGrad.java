package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ZerosLike;
import java.util.List;

/** Gradient of {@code LeakyRelu}: {@code z = x > 0 ? dy : alpha dy}. */
@Signature(
        "LeakyReluGrad(gradients: T, features: T) -> (backprops: T) {alpha: float = 0.2; T: type in [FLOATING] = FLOAT}")
public record LeakyReluGrad(float alpha) implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr dy, Expr x) {
        return Expr.select(x.greater(x.literal(0)), dy, dy.times(dy.literal(alpha)));
    }

    /** This op again; none for {@code x}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(1), dz = g.gradient(0);
        return List.of(Value.apply(new LeakyReluGrad(alpha), dz, x), Value.apply(new ZerosLike(), x));
    }
}
