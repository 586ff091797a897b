package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Reciprocal: {@code y = 1 / x}. */
@Signature("Reciprocal(x: T) -> (y: T) {T: type in [FLOATING COMPLEX INT8 INT16 INT32 INT64]}")
public record Reciprocal() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.reciprocal();
    }

    /** {@code dx = -dy conj(y)^2}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value y = g.output(0), dy = g.gradient(0);
        return List.of(Value.apply(new ReciprocalGrad(), y, dy));
    }
}
