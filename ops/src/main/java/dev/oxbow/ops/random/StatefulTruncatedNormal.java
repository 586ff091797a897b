package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.tensor.DType;

/** Normal numbers redrawn until they lie within two deviations, from the generator in a variable. */
@Signature(
        "StatefulTruncatedNormal(resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype) {dtype: type = FLOAT; shape_dtype: type = INT64} stateful")
public record StatefulTruncatedNormal(DType dtype) implements Randoms.Generated {

    @Override
    public Distribution distribution() {
        return Distribution.TRUNCATED_NORMAL;
    }
}
