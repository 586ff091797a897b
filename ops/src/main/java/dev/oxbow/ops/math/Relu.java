package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.MaxPoolGrad;
import java.util.List;

/** Rectifier: {@code y = max(x, 0)}. */
@Signature("Relu(features: T) -> (activations: T) {T: type in [REAL QINT8]}")
public record Relu() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.relu();
    }

    /**
     * {@code dx = dy where y > 0}. When {@code dy} comes from a maximum over windows of y alone, what goes to a largest
     * element that is not positive is left out before it is spread: that gradient is smaller than dx.
     */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        if (dy.node().op() instanceof MaxPoolGrad pool && dy.node().input(0).equals(y.edge())) {
            Value largest = Value.of(dy.node().input(1)), d = Value.of(dy.node().input(2));
            return List.of(Value.apply(pool, y, largest, Value.apply(new ReluGrad(), d, largest)));
        }
        return List.of(Value.apply(new ReluGrad(), dy, y));
    }
}
