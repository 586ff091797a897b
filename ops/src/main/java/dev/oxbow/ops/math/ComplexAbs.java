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

/** The modulus of a complex number. */
@Signature("ComplexAbs(x: T) -> (y: Tout) {T: type in [COMPLEX] = COMPLEX64; Tout: type in [FLOAT DOUBLE] = FLOAT}")
public record ComplexAbs(@Attr("Tout") DType tout) implements UnaryOp, Differentiable {

    @Override
    public Expr expression(Expr x) {
        return x.abs();
    }

    /** {@code dx = dy x / |x|}, and 0 at 0. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0), y = g.output(0), zero = dy.constantLike(0);
        return List.of(Value.apply(new DivNoNan(), dy.complexWith(zero).times(g.input(0)), y.complexWith(zero)));
    }
}
