package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.ops.BinaryOp;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Power: {@code z = x^y}. */
@Signature("Pow(x: T, y: T) -> (z: T) {T: type in [FLOATING COMPLEX INT8 INT16 INT32 INT64]}")
public record Pow() implements BinaryOp, Differentiable {

    @Override
    public Expr expression(Expr x, Expr y) {
        return x.pow(y);
    }

    /** {@code dx = dz y x^(y - 1)}, {@code dy = dz z log(x)} where the logarithm is defined. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.input(1), z = g.output(0), dz = g.gradient(0);
        Value zero = x.constantLike(0);
        Value defined = x.dtype().isComplex() ? x.notEqualTo(zero) : x.greater(zero);
        Value logarithm = Value.where(
                defined, Value.where(defined, x.conj(), x.constantLike(1)).log(), zero);
        return Broadcasting.reduce(
                x,
                y,
                dz.times(y.conj()).times(x.conj().pow(y.conj().minus(1))),
                dz.times(z.conj()).times(logarithm));
    }
}
