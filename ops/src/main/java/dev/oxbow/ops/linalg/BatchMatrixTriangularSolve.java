package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.LinearAlgebra;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code MatrixTriangularSolve} under its old name. */
@Signature(
        "BatchMatrixTriangularSolve(matrix: T, rhs: T) -> (output: T) {lower: bool = true; adjoint: bool = false; T: type in [DOUBLE FLOAT]}")
public record BatchMatrixTriangularSolve(boolean lower, boolean adjoint) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = Matrices.square(c, 0);
        return List.of(c.input(1).withShape(Matrices.solution(c, a, true, true)));
    }

    @Override
    public Kernel cpu() {
        return c -> LinearAlgebra.triangularSolve(c.input(0), c.input(1), lower, adjoint, c.output(0), c.parallel());
    }
}
