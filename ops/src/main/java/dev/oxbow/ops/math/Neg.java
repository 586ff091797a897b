package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Negation: {@code y = -x}. */
@Signature("Neg(x: T) -> (y: T) {T: type in [FLOATING COMPLEX INT8 INT16 INT32 INT64]}")
public record Neg() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.negated();
    }

    /** {@code dx = -dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0);
        return List.of(dy.negated());
    }
}
