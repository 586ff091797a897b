package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** Eigenvalues in the first row and eigenvectors below it, as one matrix. */
@Signature("SelfAdjointEig(input: T) -> (output: T) {T: type in [DOUBLE FLOAT HALF]}")
public record SelfAdjointEig() implements MatrixVersions.Eigen {}
