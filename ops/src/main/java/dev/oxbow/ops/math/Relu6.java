package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Rectifier with a ceiling: {@code y = min(max(x, 0), 6)}. */
@Signature("Relu6(features: T) -> (activations: T) {T: type in [REAL]}")
public record Relu6() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.clip(x.literal(0), x.literal(6));
    }

    /** {@code dx = dy where 0 < y < 6}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        return List.of(Value.apply(new Relu6Grad(), dy, y));
    }
}
