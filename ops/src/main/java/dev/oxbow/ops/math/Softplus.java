package dev.oxbow.ops.math;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Smooth rectifier: {@code y = log(1 + exp(x))}. */
@Signature("Softplus(features: T) -> (activations: T) {T: type in [FLOATING]}")
public record Softplus() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.softplus();
    }

    /** {@code dx = dy / (1 + exp(-x))}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(Value.apply(new SoftplusGrad(), dy, x));
    }
}
