package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.LinearAlgebra;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code SelfAdjointEigV2} under its old name. */
@Signature("BatchSelfAdjointEigV2(input: T) -> (e: T, v: T) {compute_v: bool = true; T: type in [DOUBLE FLOAT]}")
public record BatchSelfAdjointEigV2(boolean computeV) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = Matrices.square(c, 0);
        Shape e = Matrices.batch(a).concat(Shape.of(Matrices.dim(a, -1)));
        return List.of(c.input(0).withShape(e), c.input(0).withShape(computeV ? a : Shape.of(0)));
    }

    @Override
    public Kernel cpu() {
        return c ->
                LinearAlgebra.selfAdjointEigen(c.input(0), c.output(0), computeV ? c.output(1) : null, c.parallel());
    }
}
