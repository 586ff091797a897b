package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** {@code x} of {@code a x = b}, or of {@code a* x = b}. */
@Signature(
        "MatrixSolve(matrix: T, rhs: T) -> (output: T) {adjoint: bool = false; T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]}")
public record MatrixSolve(boolean adjoint) implements Differentiable, MatrixVersions.Solve {

    /** {@code db = a^-* dx}, {@code da = -db x*}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.output(0), db = Value.apply(new MatrixSolve(!adjoint), g.input(0), g.gradient(0));
        Value da = adjoint ? Matrices.product(x, false, db, true) : Matrices.product(db, false, x, true);
        return List.of(da.negated(), db);
    }
}
