package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Exponential: {@code y = e^x}. */
@Signature("Exp(x: T) -> (y: T) {T: type in [FLOATING COMPLEX]}")
public record Exp() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.exp();
    }

    /** {@code dx = dy conj(y)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        return List.of(dy.times(y.conj()));
    }
}
