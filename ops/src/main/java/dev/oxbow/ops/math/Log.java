package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Natural logarithm: {@code y = log(x)}. */
@Signature("Log(x: T) -> (y: T) {T: type in [FLOATING COMPLEX]}")
public record Log() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.log();
    }

    /** {@code dx = dy / conj(x)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(dy.times(x.conj().reciprocal()));
    }
}
