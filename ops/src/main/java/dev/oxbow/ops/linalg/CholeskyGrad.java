package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** Gradient of {@code Cholesky}, from its output and the gradient of that. */
@Signature("CholeskyGrad(l: T, grad: T) -> (output: T) {T: type in [HALF FLOAT DOUBLE]}")
public record CholeskyGrad() implements MatrixVersions.LowerRootGradient {}
