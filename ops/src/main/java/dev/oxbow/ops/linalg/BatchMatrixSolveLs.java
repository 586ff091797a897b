package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** {@code MatrixSolveLs} under its old name. */
@Signature(
        "BatchMatrixSolveLs(matrix: T, rhs: T, l2_regularizer: double) -> (output: T) {T: type in [DOUBLE FLOAT]; fast: bool = true}")
public record BatchMatrixSolveLs(boolean fast) implements MatrixVersions.LeastSquares {}
