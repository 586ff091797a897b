package dev.oxbow.ops.math;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.UnaryOp;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.List;

/** The argument of a complex number: {@code atan2(imag, real)}. */
@Signature("Angle(input: T) -> (output: Tout) {T: type in [COMPLEX] = COMPLEX64; Tout: type in [FLOAT DOUBLE] = FLOAT}")
public record Angle(@Attr("Tout") DType tout) implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.angle();
    }

    /** {@code dx = -dy / (imag(x) + i real(x))}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), dy = g.gradient(0);
        Value turned = x.imag().complexWith(x.real()).reciprocal();
        return List.of(dy.complexWith(dy.constantLike(0)).negated().times(turned));
    }
}
