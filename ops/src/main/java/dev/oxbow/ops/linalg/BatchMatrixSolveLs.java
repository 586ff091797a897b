package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.MatrixFunctions;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code MatrixSolveLs} under its old name. */
@Signature(
        "BatchMatrixSolveLs(matrix: T, rhs: T, l2_regularizer: double) -> (output: T) {T: type in [DOUBLE FLOAT]; fast: bool = true}")
public record BatchMatrixSolveLs(boolean fast) implements Op {

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
}
