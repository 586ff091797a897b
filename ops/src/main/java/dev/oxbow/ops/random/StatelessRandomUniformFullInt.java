package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.tensor.DType;

/** Uniform whole numbers over all values of their type, the same for the same seeds. */
@Signature(
        "StatelessRandomUniformFullInt(shape: T, seed: Tseed) -> (output: dtype) {dtype: type in [INT32 INT64 UINT32 UINT64] = UINT64; T: type in [INT32 INT64] = INT32; Tseed: type in [INT32 INT64 UINT32 UINT64] = INT64}")
public record StatelessRandomUniformFullInt(DType dtype) implements Randoms.Stateless {

    @Override
    public Distribution distribution() {
        return Distribution.FULL_INT;
    }
}
