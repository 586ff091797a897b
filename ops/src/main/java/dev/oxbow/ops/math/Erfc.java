package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Complementary error function: {@code y = 1 - erf(x)}. */
@Signature("Erfc(x: T) -> (y: T) {T: type in [FLOATING]}")
public record Erfc() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.erfc();
    }

    /** {@code dx = -dy 2 / sqrt(pi) exp(-x^2)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(
                dy.times(-2 / Math.sqrt(Math.PI)).times(x.square().negated().exp()));
    }
}
