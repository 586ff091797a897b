package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Quotient: {@code z = x / y}. */
@Signature("RealDiv(x: T, y: T) -> (z: T) {T: type in [REAL COMPLEX]}")
public record RealDiv() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.dividedBy(y);
    }

    /** {@code dx = dz / conj(y)}, {@code dy = -dz conj(x / y^2)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.input(1), dz = g.gradient(0);

        return Broadcasting.reduce(
                x,
                y,
                dz.dividedBy(y.conj()),
                dz.times(x.conj().negated().dividedBy(y.conj()).dividedBy(y.conj())));
    }
}
