package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;

/** Gradient of {@code Softsign}: {@code z = dy / (1 + |x|)^2}. */
@Signature("SoftsignGrad(gradients: T, features: T) -> (backprops: T) {T: type in [FLOATING]}")
public record SoftsignGrad() implements BinaryOp {

    @Override
    public Expr expression(Expr dy, Expr x) {
        return dy.dividedBy(x.literal(1).plus(x.abs()).square());
    }
}
