package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Logarithm of one more: {@code y = log(1 + x)}. */
@Signature("Log1p(x: T) -> (y: T) {T: type in [FLOATING COMPLEX]}")
public record Log1p() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.log1p();
    }

    /** {@code dx = dy / (1 + conj(x))}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(dy.times(x.conj().plus(1).reciprocal()));
    }
}
