package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.tensor.DType;

/** Uniform whole numbers over all values of their type, from the generator in a variable. */
@Signature(
        "StatefulUniformFullInt(resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype) {dtype: type = UINT64; shape_dtype: type = INT64} stateful")
public record StatefulUniformFullInt(DType dtype) implements Randoms.Generated {

    @Override
    public Distribution distribution() {
        return Distribution.FULL_INT;
    }
}
