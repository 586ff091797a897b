package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Rectifier: {@code y = max(x, 0)}. */
@Signature("Relu(features: T) -> (activations: T) {T: type in [REAL QINT8]}")
public record Relu() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.relu();
    }

    /** {@code dx = dy where y > 0}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(new ReluGrad(), g.gradient(0), g.output(0)));
    }
}
