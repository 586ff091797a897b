package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Complex conjugate: {@code y = conj(x)}. */
@Signature("Conj(input: T) -> (output: T) {T: type in [COMPLEX VARIANT] = COMPLEX64}")
public record Conj() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.conj();
    }

    /** {@code dx = conj(dy)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(g.gradient(0).conj());
    }
}
