package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** {@code MatrixSolve} under its old name. */
@Signature("BatchMatrixSolve(matrix: T, rhs: T) -> (output: T) {adjoint: bool = false; T: type in [DOUBLE FLOAT]}")
public record BatchMatrixSolve(boolean adjoint) implements MatrixVersions.Solve {}
