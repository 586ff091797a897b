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

/** The real part. */
@Signature("Real(input: T) -> (output: Tout) {T: type in [COMPLEX] = COMPLEX64; Tout: type in [FLOAT DOUBLE] = FLOAT}")
public record Real(@Attr("Tout") DType tout) implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.real();
    }

    /** {@code dx = dy + 0 i}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0);
        return List.of(dy.complexWith(dy.constantLike(0)));
    }
}
