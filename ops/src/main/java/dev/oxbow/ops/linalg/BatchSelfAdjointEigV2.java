package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** {@code SelfAdjointEigV2} under its old name. */
@Signature("BatchSelfAdjointEigV2(input: T) -> (e: T, v: T) {compute_v: bool = true; T: type in [DOUBLE FLOAT]}")
public record BatchSelfAdjointEigV2(boolean computeV) implements MatrixVersions.EigenPair {}
