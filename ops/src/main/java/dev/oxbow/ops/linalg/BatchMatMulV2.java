package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Signature;

/** Products of batches of matrices, with the adjoint of either side; batch dimensions broadcast. */
@Signature(
        "BatchMatMulV2(x: T, y: T) -> (output: T) {T: type in [BFLOAT16 HALF FLOAT DOUBLE INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 COMPLEX64 COMPLEX128]; adj_x: bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false}")
public record BatchMatMulV2(boolean adjX, boolean adjY) implements MatMuls.Broadcasting {}
