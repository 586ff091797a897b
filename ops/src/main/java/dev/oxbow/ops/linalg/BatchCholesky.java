package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** {@code Cholesky} under its old name. */
@Signature("BatchCholesky(input: T) -> (output: T) {T: type in [DOUBLE FLOAT]}")
public record BatchCholesky() implements MatrixVersions.LowerRoot {}
