package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.MatrixFunctions;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code x} of least {@code |a x - b|^2 + l2 |x|^2}. */
@Signature(
        "MatrixSolveLs(matrix: T, rhs: T, l2_regularizer: double) -> (output: T) {T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]; fast: bool = true}")
public record MatrixSolveLs(boolean fast) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(2);
        Shape a = Matrices.matrices(c, 0);
        return List.of(c.input(1).withShape(Matrices.solution(c, a, false, false)));
    }

    @Override
    public Kernel cpu() {
        return c -> MatrixFunctions.leastSquares(
                c.input(0), c.input(1), c.input(2).getDouble(0), fast, c.output(0), c.parallel());
    }

    /** Through the normal equations, of the first kind for tall matrices and of the second for wide ones. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return LeastSquaresGradient.of(g);
    }
}
