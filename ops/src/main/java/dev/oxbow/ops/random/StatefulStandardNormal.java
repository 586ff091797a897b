package dev.oxbow.ops.random;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Distributions;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Normal numbers with mean 0 and deviation 1, from the generator in a variable. */
@Signature(
        "StatefulStandardNormal(resource: resource, shape: shape_dtype) -> (output: dtype) {dtype: type = FLOAT; shape_dtype: type = INT64} stateful")
public record StatefulStandardNormal(DType dtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(dtype, Randoms.shape(c, 1)));
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Distributions.normal(Randoms.advance(c, c.output(0).size()), c.output(0), c.parallel());
        };
    }
}
