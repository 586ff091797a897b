package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Absolute value: {@code y = |x|}. */
@Signature("Abs(x: T) -> (y: T) {T: type in [FLOATING INT8 INT16 INT32 INT64]}")
public record Abs() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.abs();
    }

    /** {@code dx = dy sign(x)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(dy.times(x.sign()));
    }
}
