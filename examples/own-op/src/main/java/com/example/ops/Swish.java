package com.example.ops;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** {@code y = x / (1 + exp(-beta x))} (Ramachandran et al., 2017). */
@Signature("Swish(x: T) -> (y: T) {beta: float = 1.0; T: type in [FLOATING]}")
public record Swish(float beta) implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.computed(v -> v.dividedBy(v.times(v.literal(-beta)).exp().plus(v.literal(1))));
    }

    /** {@code dx = dy (s + beta x s (1 - s))} with {@code s = 1 / (1 + exp(-beta x))}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), s = x.times(beta).sigmoid();
        return List.of(g.gradient(0).times(s.plus(x.times(beta).times(s).times(s.times(-1).plus(1)))));
    }
}
