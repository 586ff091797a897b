package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.LinearAlgebra;
import java.util.List;

/** {@code MatrixDeterminant} under its old name. */
@Signature("BatchMatrixDeterminant(input: T) -> (output: T) {T: type in [FLOAT DOUBLE COMPLEX64 COMPLEX128]}")
public record BatchMatrixDeterminant() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(Matrices.batch(Matrices.square(c, 0))));
    }

    @Override
    public Kernel cpu() {
        return c -> LinearAlgebra.determinant(c.input(0), c.output(0), c.parallel());
    }
}
