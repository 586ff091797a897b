package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** {@code MatrixTriangularSolve} under its old name. */
@Signature(
        "BatchMatrixTriangularSolve(matrix: T, rhs: T) -> (output: T) {lower: bool = true; adjoint: bool = false; T: type in [DOUBLE FLOAT]}")
public record BatchMatrixTriangularSolve(boolean lower, boolean adjoint) implements MatrixVersions.TriangularSolve {}
