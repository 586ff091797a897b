package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** {@code SelfAdjointEig} under its old name. */
@Signature("BatchSelfAdjointEig(input: T) -> (output: T) {T: type in [DOUBLE FLOAT]}")
public record BatchSelfAdjointEig() implements MatrixVersions.Eigen {}
