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

/** Uniform whole numbers over all values of their type, from the generator in a variable. */
@Signature(
        "StatefulUniformFullInt(resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype) {dtype: type = UINT64; shape_dtype: type = INT64} stateful")
public record StatefulUniformFullInt(DType dtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        return List.of(new TensorType(dtype, Randoms.shape(c, 2)));
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Randoms.requirePhilox(c.input(1).getLong(0));
            Distributions.fullInt(Randoms.advance(c, c.output(0).size()), c.output(0), c.parallel());
        };
    }
}
