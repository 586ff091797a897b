package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.tensor.DType;

/** Normal numbers redrawn until they lie within two deviations, the same for the same seeds. */
@Signature(
        "StatelessTruncatedNormal(shape: T, seed: Tseed) -> (output: dtype) {dtype: type in [FLOATING] = FLOAT; T: type in [INT32 INT64] = INT32; Tseed: type in [INT32 INT64] = INT64}")
public record StatelessTruncatedNormal(DType dtype) implements Randoms.Stateless {

    @Override
    public Distribution distribution() {
        return Distribution.TRUNCATED_NORMAL;
    }
}
