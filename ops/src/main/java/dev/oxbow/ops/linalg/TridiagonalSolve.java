package dev.oxbow.ops.linalg;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Tridiagonal;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code x} of {@code a x = b} for a tridiagonal a, given as superdiagonal, diagonal and subdiagonal. */
@Signature(
        "TridiagonalSolve(diagonals: T, rhs: T) -> (output: T) {partial_pivoting: bool = true; perturb_singular: bool = false; T: type in [DOUBLE FLOAT COMPLEX64 COMPLEX128]}")
public record TridiagonalSolve(boolean partialPivoting, boolean perturbSingular) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = Matrices.matrices(c, 0), b = Matrices.matrices(c, 1);
        long three = Matrices.dim(a, -2), n = Matrices.dim(a, -1), rows = Matrices.dim(b, -2);
        Shape batch = Matrices.batch(a).merge(Matrices.batch(b));
        require(
                batch != null && (three < 0 || three == 3) && (n < 0 || rows < 0 || n == rows),
                INVALID_ARGUMENT,
                "diagonals and rhs do not fit: %s and %s",
                a,
                b);
        return List.of(c.input(1).withShape(Matrices.of(batch, Math.max(n, rows), Matrices.dim(b, -1))));
    }

    @Override
    public Kernel cpu() {
        return c -> Tridiagonal.solve(c.input(0), c.input(1), partialPivoting, c.output(0), c.parallel());
    }

    /** {@code db = a^-T dx}, {@code da} = the three diagonals of {@code -db x^T}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value a = g.input(0), x = g.output(0);
        Value db = Value.apply(
                new TridiagonalSolve(partialPivoting, perturbSingular),
                TridiagonalGradients.transposed(a),
                g.gradient(0));
        return List.of(TridiagonalGradients.diagonals(db, x.conj()).negated(), db);
    }
}
