package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Leaky rectifier: {@code y = x > 0 ? x : alpha x}. */
@Signature("LeakyRelu(features: T) -> (activations: T) {alpha: float = 0.2; T: type in [FLOATING] = FLOAT}")
public record LeakyRelu(float alpha) implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return Expr.select(x.greater(x.literal(0)), x, x.times(x.literal(alpha)));
    }

    /** {@code dx = x > 0 ? dy : alpha dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(Value.apply(new LeakyReluGrad(alpha), dy, x));
    }
}
