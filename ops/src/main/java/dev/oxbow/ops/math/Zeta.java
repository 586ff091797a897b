package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.special.Special;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Hurwitz zeta function: {@code z = sum of (q + n)^-x over n from 0}. */
@Signature("Zeta(x: T, q: T) -> (z: T) {T: type in [FLOAT DOUBLE]}")
public record Zeta() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr q) {
        return x.special(Special.ZETA, q);
    }

    /** {@code dq = -dz x zeta(x + 1, q)}, none for x. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), q = g.input(1), dz = g.gradient(0);

        return Broadcasting.reduce(x, q, null, dz.times(x.negated().times(Value.apply(new Zeta(), x.plus(1), q))));
    }
}
