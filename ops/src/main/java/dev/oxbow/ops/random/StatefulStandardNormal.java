package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.kernels.random.PhiloxState;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Normal numbers with mean 0 and deviation 1, from the generator in a variable, which begins with its algorithm. */
@Signature(
        "StatefulStandardNormal(resource: resource, shape: shape_dtype) -> (output: dtype) {dtype: type = FLOAT; shape_dtype: type = INT64} stateful")
public record StatefulStandardNormal(DType dtype) implements Filling, Changing {

    @Override
    public Distribution distribution() {
        return Distribution.NORMAL;
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(dtype, Randoms.shape(c, 1)));
    }

    @Override
    public Philox stream(KernelContext c, long size) {
        return Randoms.skip(c, size * PhiloxState.BLOCKS_PER_OUTPUT, 1);
    }
}
