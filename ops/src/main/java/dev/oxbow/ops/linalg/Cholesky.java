package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** {@code l} lower triangular with {@code l l* = a}. */
@Signature("Cholesky(input: T) -> (output: T) {T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]}")
public record Cholesky() implements Differentiable, MatrixVersions.LowerRoot {

    /** {@code da = sym(l^-* half(l* dl) l^-1)}, where half keeps the lower triangle and half of the diagonal. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value l = g.output(0);
        Value inverse = Value.apply(new MatrixTriangularSolve(true, false), l, Matrices.identityLike(l));
        Value middle = Matrices.product(l, true, g.gradient(0), false);
        middle = Matrices.band(
                Matrices.withDiagonal(middle, Matrices.diagonal(middle).times(0.5)), -1, 0);
        Value da = Matrices.product(Matrices.product(inverse, true, middle, false), inverse);
        return List.of(da.plus(Matrices.adjoint(da)).times(0.5));
    }
}
