package dev.oxbow.ops.math;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.List;

/** A complex number from its parts: {@code out = real + i imag}. */
@Signature(
        "Complex(real: T, imag: T) -> (out: Tout) {T: type in [FLOAT DOUBLE] = FLOAT; Tout: type in [COMPLEX] = COMPLEX64}")
public record Complex(@Attr("Tout") DType tout) implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr re, Expr im) {
        return Expr.complex(re, im);
    }

    /** The parts of the gradient. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Broadcasting.reduce(
                g.input(0), g.input(1), g.gradient(0).real(), g.gradient(0).imag());
    }
}
