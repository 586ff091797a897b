package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.LinearAlgebra;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Eigenvalues, ascending, and eigenvectors as columns of self-adjoint matrices. */
@Signature(
        "SelfAdjointEigV2(input: T) -> (e: T, v: T) {compute_v: bool = true; T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]}")
public record SelfAdjointEigV2(boolean computeV) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = Matrices.square(c, 0);
        Shape e = Matrices.batch(a).concat(Shape.of(Matrices.dim(a, -1)));
        return List.of(c.input(0).withShape(e), c.input(0).withShape(computeV ? a : Shape.of(0)));
    }

    @Override
    public Kernel cpu() {
        return c ->
                LinearAlgebra.selfAdjointEigen(c.input(0), c.output(0), computeV ? c.output(1) : null, c.parallel());
    }

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
