package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Fresnel's cosine integral. */
@Signature("FresnelCos(x: T) -> (y: T) {T: type in [FLOATING]}")
public record FresnelCos() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.special(Special.FRESNEL_COS);
    }

    /** {@code dx = dy cos(pi x^2 / 2)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(dy.times(x.square().times(Math.PI / 2).cos()));
    }
}
