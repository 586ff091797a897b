package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Sum: {@code z = x + y}. */
@Signature("AddV2(x: T, y: T) -> (z: T) {T: type in [REAL COMPLEX]} commutative")
public record AddV2() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.plus(y);
    }

    /** {@code dx = dy = dz}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Broadcasting.reduce(g.input(0), g.input(1), g.gradient(0), g.gradient(0));
    }
}
