package dev.oxbow.ops.linalg;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** {@code BatchMatMulV2} with operands of two dtypes and a result of a third. */
@Signature(
        "BatchMatMulV3(x: Ta, y: Tb) -> (output: Tout) {Ta: type in [BFLOAT16 HALF FLOAT DOUBLE UINT8 INT8 INT16 INT32 INT64 COMPLEX64 COMPLEX128]; Tb: type in [BFLOAT16 HALF FLOAT DOUBLE UINT8 INT8 INT16 INT32 INT64 COMPLEX64 COMPLEX128]; Tout: type in [BFLOAT16 HALF FLOAT DOUBLE INT16 INT32 INT64 COMPLEX64 COMPLEX128]; adj_x: bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false}")
public record BatchMatMulV3(@Attr("Tout") DType tout, boolean adjX, boolean adjY) implements MatMuls.Broadcasting {}
