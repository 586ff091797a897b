package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.LinearAlgebra;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code MatrixSolve} under its old name. */
@Signature("BatchMatrixSolve(matrix: T, rhs: T) -> (output: T) {adjoint: bool = false; T: type in [DOUBLE FLOAT]}")
public record BatchMatrixSolve(boolean adjoint) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = Matrices.square(c, 0);
        return List.of(c.input(1).withShape(Matrices.solution(c, a, true, false)));
    }

    @Override
    public Kernel cpu() {
        return c -> LinearAlgebra.solve(c.input(0), c.input(1), adjoint, c.output(0), c.parallel());
    }
}
