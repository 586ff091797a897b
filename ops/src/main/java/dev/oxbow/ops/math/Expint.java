package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Exponential integral. */
@Signature("Expint(x: T) -> (y: T) {T: type in [FLOATING]}")
public record Expint() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.special(Special.EXPINT);
    }

    /** {@code dx = dy exp(x) / x}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(dy.times(x.exp()).dividedBy(x));
    }
}
