package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.tensor.DType;

/** Uniform numbers in [0, 1), the same for the same seeds. */
@Signature(
        "StatelessRandomUniform(shape: T, seed: Tseed) -> (output: dtype) {dtype: type in [FLOATING] = FLOAT; T: type in [INT32 INT64] = INT32; Tseed: type in [INT32 INT64] = INT64}")
public record StatelessRandomUniform(DType dtype) implements Randoms.Stateless {

    @Override
    public Distribution distribution() {
        return Distribution.UNIFORM;
    }
}
