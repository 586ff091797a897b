package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.tensor.DType;

/** Uniform whole numbers over all values of their type, from a key and counter. */
@Signature(
        "StatelessRandomUniformFullIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype) {dtype: type in [INT32 INT64 UINT32 UINT64] = UINT64; Tshape: type in [INT32 INT64] = INT32}")
public record StatelessRandomUniformFullIntV2(DType dtype) implements Randoms.Keyed {

    @Override
    public Distribution distribution() {
        return Distribution.FULL_INT;
    }
}
