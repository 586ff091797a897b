package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** {@code MatrixInverse} under its old name. */
@Signature("BatchMatrixInverse(input: T) -> (output: T) {adjoint: bool = false; T: type in [DOUBLE FLOAT]}")
public record BatchMatrixInverse(boolean adjoint) implements MatrixVersions.Inverse {}
