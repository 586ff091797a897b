package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import java.util.List;

/** Spence's function: {@code y = -integral of log(t) / (t - 1) from 1 to x}. */
@Signature("Spence(x: T) -> (y: T) {T: type in [FLOATING]}")
public record Spence() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.special(Special.SPENCE);
    }

    /** {@code dx = dy log(x) / (1 - x), and -dy at 1}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        return List.of(dy.times(Value.where(
                x.equalTo(x.constantLike(1)),
                x.constantLike(-1),
                x.log().dividedBy(x.negated().plus(1)))));
    }
}
