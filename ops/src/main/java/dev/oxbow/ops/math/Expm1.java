package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Exponential less one: {@code y = e^x - 1}. */
@Signature("Expm1(x: T) -> (y: T) {T: type in [FLOATING COMPLEX]}")
public record Expm1() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.expm1();
    }

    /** {@code dx = dy exp(conj(x))}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(dy.times(x.conj().exp()));
    }
}
