package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Hyperbolic cosine. */
@Signature("Cosh(x: T) -> (y: T) {T: type in [FLOATING COMPLEX]}")
public record Cosh() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.cosh();
    }

    /** {@code dx = dy sinh(conj(x))}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(dy.times(Value.apply(new Sinh(), x.conj())));
    }
}
