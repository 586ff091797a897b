package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ZerosLike;
import java.util.List;

/** Gradient of {@code Relu} by its input or output: {@code z = x > 0 ? dy : 0}. */
@Signature("ReluGrad(gradients: T, features: T) -> (backprops: T) {T: type in [REAL]}")
public record ReluGrad() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr dy, Expr x) {
        return Expr.select(x.greater(x.literal(0)), dy, dy.literal(0));
    }

    /** This op again; none for {@code x}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(1), dz = g.gradient(0);
        return List.of(Value.apply(new ReluGrad(), dz, x), Value.apply(new ZerosLike(), x));
    }
}
