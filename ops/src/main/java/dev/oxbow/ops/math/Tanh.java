package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Hyperbolic tangent. */
@Signature("Tanh(x: T) -> (y: T) {T: type in [FLOATING COMPLEX]}")
public record Tanh() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.tanh();
    }

    /** {@code dx = dy (1 - conj(y)^2)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        return List.of(Value.apply(new TanhGrad(), y.conj(), dy));
    }
}
