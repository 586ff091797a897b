package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** {@code y = x / (1 + |x|)}. */
@Signature("Softsign(features: T) -> (activations: T) {T: type in [FLOATING]}")
public record Softsign() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.computed(v -> v.dividedBy(v.abs().plus(v.literal(1))));
    }

    /** {@code dx = dy / (1 + |x|)^2}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(Value.apply(new SoftsignGrad(), dy, x));
    }
}
