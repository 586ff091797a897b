package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Square: {@code y = x x}. */
@Signature("Square(x: T) -> (y: T) {T: type in [REAL COMPLEX]}")
public record Square() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.square();
    }

    /** {@code dx = 2 dy conj(x)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(dy.times(x.conj().times(2)));
    }
}
