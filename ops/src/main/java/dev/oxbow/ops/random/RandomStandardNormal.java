package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.tensor.DType;

/** Normal numbers with mean 0 and deviation 1. */
@Signature(
        "RandomStandardNormal(shape: T) -> (output: dtype) {seed: int = 0; seed2: int = 0; dtype: type in [FLOATING]; T: type in [INT32 INT64]} stateful")
public record RandomStandardNormal(long seed, long seed2, DType dtype) implements Randoms.Seeded {

    @Override
    public Distribution distribution() {
        return Distribution.NORMAL;
    }
}
