package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.MatrixFunctions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Eigenvalues and eigenvectors as columns of any square matrices. */
@Signature(
        "Eig(input: T) -> (e: Tout, v: Tout) {compute_v: bool = true; T: type in [FLOAT DOUBLE COMPLEX64 COMPLEX128]; Tout: type in [COMPLEX64 COMPLEX128]}")
public record Eig(boolean computeV, @Attr("Tout") DType tout) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = Matrices.square(c, 0);
        Shape e = Matrices.batch(a).concat(Shape.of(Matrices.dim(a, -1)));
        return List.of(new TensorType(tout, e), new TensorType(tout, computeV ? a : Shape.of(0)));
    }

    @Override
    public Kernel cpu() {
        return c -> MatrixFunctions.eigen(c.input(0), c.output(0), computeV ? c.output(1) : null, c.parallel());
    }
}
