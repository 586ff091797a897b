package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** {@code x} of least {@code |a x - b|^2 + l2 |x|^2}. */
@Signature(
        "MatrixSolveLs(matrix: T, rhs: T, l2_regularizer: double) -> (output: T) {T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]; fast: bool = true}")
public record MatrixSolveLs(boolean fast) implements Differentiable, MatrixVersions.LeastSquares {

    /** Through the normal equations, of the first kind for tall matrices and of the second for wide ones. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return LeastSquaresGradient.of(g);
    }
}
