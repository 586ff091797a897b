package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.LinearAlgebra;
import java.util.List;

/** {@code MatrixInverse} under its old name. */
@Signature("BatchMatrixInverse(input: T) -> (output: T) {adjoint: bool = false; T: type in [DOUBLE FLOAT]}")
public record BatchMatrixInverse(boolean adjoint) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(Matrices.square(c, 0)));
    }

    @Override
    public Kernel cpu() {
        return c -> LinearAlgebra.inverse(c.input(0), adjoint, c.output(0), c.parallel());
    }
}
