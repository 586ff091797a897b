package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.tensor.DType;

/** Normal numbers with mean 0 and deviation 1, from the generator in a variable. */
@Signature(
        "StatefulStandardNormalV2(resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype) {dtype: type = FLOAT; shape_dtype: type = INT64} stateful")
public record StatefulStandardNormalV2(DType dtype) implements Randoms.Generated {

    @Override
    public Distribution distribution() {
        return Distribution.NORMAL;
    }
}
