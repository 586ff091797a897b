package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Reciprocal square root: {@code y = x^(-1/2)}. */
@Signature("Rsqrt(x: T) -> (y: T) {T: type in [FLOATING COMPLEX]}")
public record Rsqrt() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.rsqrt();
    }

    /** {@code dx = -dy conj(y)^3 / 2}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        return List.of(Value.apply(new RsqrtGrad(), y, dy));
    }
}
