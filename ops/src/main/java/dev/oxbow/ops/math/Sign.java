package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ZerosLike;
import java.util.List;

/** Sign: {@code y = -1, 0 or 1}; {@code x / |x|} for complex numbers. */
@Signature("Sign(x: T) -> (y: T) {T: type in [FLOATING COMPLEX INT8 INT16 INT32 INT64]}")
public record Sign() implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.sign();
    }

    /** {@code dx = 0}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0);
        return List.of(Value.apply(new ZerosLike(), x));
    }
}
