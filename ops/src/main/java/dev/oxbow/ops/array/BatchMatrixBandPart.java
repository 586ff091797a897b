package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;

/** {@code MatrixBandPart} under its old name. */
@Signature("BatchMatrixBandPart(input: T, num_lower: int64, num_upper: int64) -> (band: T) {T: type}")
public record BatchMatrixBandPart() implements DiagonalVersions.Band {}
