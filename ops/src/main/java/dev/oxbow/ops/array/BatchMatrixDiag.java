package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;

/** {@code MatrixDiag} under its old name. */
@Signature("BatchMatrixDiag(diagonal: T) -> (output: T) {T: type}")
public record BatchMatrixDiag() implements DiagonalVersions.Diagonal {}
