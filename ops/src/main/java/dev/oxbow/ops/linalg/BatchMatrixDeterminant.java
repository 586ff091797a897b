package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** {@code MatrixDeterminant} under its old name. */
@Signature("BatchMatrixDeterminant(input: T) -> (output: T) {T: type in [FLOAT DOUBLE COMPLEX64 COMPLEX128]}")
public record BatchMatrixDeterminant() implements MatrixVersions.Determinant {}
