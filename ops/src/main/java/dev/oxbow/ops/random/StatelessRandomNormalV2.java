package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.tensor.DType;

/** Normal numbers with mean 0 and deviation 1, from a key and counter. */
@Signature(
        "StatelessRandomNormalV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype) {dtype: type in [FLOATING] = FLOAT; Tshape: type in [INT32 INT64] = INT32}")
public record StatelessRandomNormalV2(DType dtype) implements Randoms.Keyed {

    @Override
    public Distribution distribution() {
        return Distribution.NORMAL;
    }
}
