package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Dawson's integral: {@code y = exp(-x^2) integral of exp(t^2) from 0 to x}. */
@Signature("Dawsn(x: T) -> (y: T) {T: type in [FLOATING]}")
public record Dawsn() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.special(Special.DAWSN);
    }

    /** {@code dx = dy (1 - 2 x y)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.output(0), dy = g.gradient(0);
        return List.of(dy.times(x.times(y).times(-2).plus(1)));
    }
}
