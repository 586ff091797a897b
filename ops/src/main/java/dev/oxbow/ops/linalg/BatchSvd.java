package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** {@code Svd} under its old name. */
@Signature(
        "BatchSvd(input: T) -> (s: T, u: T, v: T) {compute_uv: bool = true; full_matrices: bool = false; T: type in [DOUBLE FLOAT COMPLEX64 COMPLEX128]}")
public record BatchSvd(boolean computeUv, boolean fullMatrices) implements MatrixVersions.Singular {}
