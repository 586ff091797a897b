package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** {@code x} of {@code a x = b} for triangular a, or its adjoint; batch dimensions broadcast. */
@Signature(
        "MatrixTriangularSolve(matrix: T, rhs: T) -> (output: T) {lower: bool = true; adjoint: bool = false; T: type in [BFLOAT16 DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]}")
public record MatrixTriangularSolve(boolean lower, boolean adjoint)
        implements Differentiable, MatrixVersions.TriangularSolve {

    /** {@code db = a^-* dx}, {@code da} = the triangle of {@code -db x*}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.output(0), db = Value.apply(new MatrixTriangularSolve(lower, !adjoint), g.input(0), g.gradient(0));
        Value da = adjoint ? Matrices.product(x, false, db, true) : Matrices.product(db, false, x, true);
        da = lower ? Matrices.band(da.negated(), -1, 0) : Matrices.band(da.negated(), 0, -1);
        return Matrices.reduceBatch(g.input(0), g.input(1), da, db);
    }
}
