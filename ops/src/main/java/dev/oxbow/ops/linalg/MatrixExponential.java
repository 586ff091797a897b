package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.MatrixFunctions;
import java.util.List;

/** {@code exp(a)} of square matrices. */
@Signature("MatrixExponential(input: T) -> (output: T) {T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]}")
public record MatrixExponential() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(Matrices.square(c, 0)));
    }

    @Override
    public Kernel cpu() {
        return c -> MatrixFunctions.exponential(c.input(0), c.output(0), c.parallel());
    }
}
