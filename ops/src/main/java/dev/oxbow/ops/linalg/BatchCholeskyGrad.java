package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.MatrixFunctions;
import java.util.List;

/** {@code CholeskyGrad} under its old name. */
@Signature("BatchCholeskyGrad(l: T, grad: T) -> (output: T) {T: type in [FLOAT DOUBLE]}")
public record BatchCholeskyGrad() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Matrices.square(c, 1);
        c.sameShape(0, 1);
        return List.of(c.input(0).withShape(Matrices.square(c, 0)));
    }

    @Override
    public Kernel cpu() {
        return c -> MatrixFunctions.choleskyGradient(c.input(0), c.input(1), c.output(0), c.parallel());
    }
}
