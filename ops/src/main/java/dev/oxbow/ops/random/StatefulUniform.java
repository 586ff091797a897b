package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.tensor.DType;

/** Uniform numbers in [0, 1), from the generator in a variable. */
@Signature(
        "StatefulUniform(resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype) {dtype: type = FLOAT; shape_dtype: type = INT64} stateful")
public record StatefulUniform(DType dtype) implements Randoms.Generated {

    @Override
    public Distribution distribution() {
        return Distribution.UNIFORM;
    }
}
