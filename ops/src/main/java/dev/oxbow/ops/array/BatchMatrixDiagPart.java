package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;

/** {@code MatrixDiagPart} under its old name. */
@Signature("BatchMatrixDiagPart(input: T) -> (diagonal: T) {T: type}")
public record BatchMatrixDiagPart() implements DiagonalVersions.DiagonalPart {}
