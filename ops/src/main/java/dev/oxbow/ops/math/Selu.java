package dev.oxbow.ops.math;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Scaled exponential linear unit: {@code y = scale (x > 0 ? x : alpha (exp(x) - 1))}. */
@Signature("Selu(features: T) -> (activations: T) {T: type in [FLOATING]}")
public record Selu() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.selu();
    }

    /** {@code dx = y > 0 ? scale dy : dy (y + scale alpha)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        return List.of(Value.apply(new SeluGrad(), dy, y));
    }
}
