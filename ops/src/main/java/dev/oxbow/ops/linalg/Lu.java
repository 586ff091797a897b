package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.LinearAlgebra;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code lu} holds L without its unit diagonal and U with {@code P a = L U}; {@code p} is the permutation. */
@Signature(
        "Lu(input: T) -> (lu: T, p: output_idx_type) {T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]; output_idx_type: type in [INT32 INT64] = INT32}")
public record Lu(DType outputIdxType) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = Matrices.square(c, 0);
        return List.of(
                c.input(0).withShape(a),
                new TensorType(outputIdxType, Matrices.batch(a).concat(Shape.of(Matrices.dim(a, -1)))));
    }

    @Override
    public Kernel cpu() {
        return c -> LinearAlgebra.lu(c.input(0), c.output(0), c.output(1), c.parallel());
    }
}
