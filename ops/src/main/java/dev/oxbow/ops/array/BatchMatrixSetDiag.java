package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;

/** {@code MatrixSetDiag} under its old name. */
@Signature("BatchMatrixSetDiag(input: T, diagonal: T) -> (output: T) {T: type}")
public record BatchMatrixSetDiag() implements DiagonalVersions.SetDiagonal {}
