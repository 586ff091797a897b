package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Exponential linear unit: {@code y = x > 0 ? x : exp(x) - 1}. */
@Signature("Elu(features: T) -> (activations: T) {T: type in [FLOATING]}")
public record Elu() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.computed(v -> Expr.select(v.less(v.literal(0)), v.expm1(), v));
    }

    /** {@code dx = y > 0 ? dy : dy (y + 1)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        return List.of(Value.apply(new EluGrad(), dy, y));
    }
}
