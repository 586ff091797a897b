package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** {@code CholeskyGrad} under its old name. */
@Signature("BatchCholeskyGrad(l: T, grad: T) -> (output: T) {T: type in [FLOAT DOUBLE]}")
public record BatchCholeskyGrad() implements MatrixVersions.LowerRootGradient {}
