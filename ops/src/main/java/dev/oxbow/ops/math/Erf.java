package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Error function: {@code y = 2 / sqrt(pi) integral of exp(-t^2) from 0 to x}. */
@Signature("Erf(x: T) -> (y: T) {T: type in [FLOATING]}")
public record Erf() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.erf();
    }

    /** {@code dx = dy 2 / sqrt(pi) exp(-x^2)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(
                dy.times(2 / Math.sqrt(Math.PI)).times(x.square().negated().exp()));
    }
}
