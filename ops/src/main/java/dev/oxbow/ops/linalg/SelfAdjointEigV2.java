package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Eigenvalues, ascending, and eigenvectors as columns of self-adjoint matrices. */
@Signature(
        "SelfAdjointEigV2(input: T) -> (e: T, v: T) {compute_v: bool = true; T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]}")
public record SelfAdjointEigV2(boolean computeV) implements Differentiable, MatrixVersions.EigenPair {

    /** {@code da = v (diag(de) + f v* dv) v*} with {@code f[i, j] = 1 / (e[j] - e[i])}, folded into the lower triangle. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value e = g.output(0), de = Matrices.diagonalMatrix(g.gradient(0));
        Value v = computeV
                ? g.output(1)
                : Value.applyAll(new SelfAdjointEigV2(true), g.input(0)).get(1);
        Value middle = de;
        if (computeV) {
            Value f = Matrices.safeReciprocal(e.expandDims(-2).minus(e.expandDims(-1)));
            f = Matrices.withDiagonal(f, e.times(0));
            middle = de.plus(f.times(Matrices.product(v, true, g.gradient(1), false)));
        }
        Value da = Matrices.product(v, Matrices.product(middle, false, v, true));
        da = Matrices.band(da.plus(Matrices.adjoint(da)), -1, 0);
        return List.of(Matrices.withDiagonal(da, Matrices.diagonal(da).times(0.5)));
    }
}
