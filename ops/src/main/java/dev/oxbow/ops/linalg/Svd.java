package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** {@code u diag(s) v* = a} with unitary u and v, s descending. */
@Signature(
        "Svd(input: T) -> (s: T, u: T, v: T) {compute_uv: bool = true; full_matrices: bool = false; T: type in [DOUBLE FLOAT HALF COMPLEX64 COMPLEX128]}")
public record Svd(boolean computeUv, boolean fullMatrices) implements Differentiable, MatrixVersions.Singular {

    /** As TensorFlow defines it, for distinct singular values. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return SvdGradient.of(g, computeUv, fullMatrices);
    }
}
