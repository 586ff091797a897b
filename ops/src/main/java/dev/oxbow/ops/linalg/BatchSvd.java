package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.LinearAlgebra;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code Svd} under its old name. */
@Signature(
        "BatchSvd(input: T) -> (s: T, u: T, v: T) {compute_uv: bool = true; full_matrices: bool = false; T: type in [DOUBLE FLOAT COMPLEX64 COMPLEX128]}")
public record BatchSvd(boolean computeUv, boolean fullMatrices) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = Matrices.matrices(c, 0), batch = Matrices.batch(a);
        long m = Matrices.dim(a, -2), n = Matrices.dim(a, -1), least = m < 0 || n < 0 ? -1 : Math.min(m, n);
        TensorType s = new TensorType(c.dtype(0), batch.concat(Shape.of(least)));
        TensorType none = new TensorType(c.dtype(0), Shape.of(0));
        if (!computeUv) return List.of(s, none, none);
        return List.of(
                s,
                c.input(0).withShape(Matrices.of(batch, m, fullMatrices ? m : least)),
                c.input(0).withShape(Matrices.of(batch, n, fullMatrices ? n : least)));
    }

    @Override
    public Kernel cpu() {
        return c -> LinearAlgebra.svd(
                c.input(0), c.output(0), computeUv ? c.output(1) : null, computeUv ? c.output(2) : null, c.parallel());
    }
}
