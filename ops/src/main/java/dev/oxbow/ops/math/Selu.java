package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Scaled exponential linear unit: {@code y = scale (x > 0 ? x : alpha (exp(x) - 1))}. */
@Signature("Selu(features: T) -> (activations: T) {T: type in [FLOATING]}")
public record Selu() implements UnaryOp, Differentiable {
    static final double SCALE = 1.0507009873554804934193349852946;
    static final double SCALE_ALPHA = 1.7580993408473768599402175208123;

    @Override
    public Expr expression(Expr x) {
        return x.computed(v -> {
            Expr negative = v.expm1().times(v.literal(SCALE_ALPHA));
            return Expr.select(v.less(v.literal(0)), negative, v.times(v.literal(SCALE)));
        });
    }

    /** {@code dx = y > 0 ? scale dy : dy (y + scale alpha)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        return List.of(Value.apply(new SeluGrad(), dy, y));
    }
}
