package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Gradient of {@code Softplus}: {@code z = dy / (1 + exp(-x))}. */
@Signature("SoftplusGrad(gradients: T, features: T) -> (backprops: T) {T: type in [FLOATING]}")
public record SoftplusGrad() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr dy, Expr x) {
        return dy.times(x.sigmoid());
    }

    /** This op again, and {@code dz dy / (exp(-x) + 2 + exp(x))}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.input(0), x = g.input(1), dz = g.gradient(0);
        return List.of(
                Value.apply(new SoftplusGrad(), dz, x),
                dz.times(dy).dividedBy(x.negated().exp().plus(2).plus(x.exp())));
    }
}
