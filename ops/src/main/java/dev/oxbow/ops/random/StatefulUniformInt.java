package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Distributions;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Uniform whole numbers in [minval, maxval), from the generator in a variable. */
@Signature(
        "StatefulUniformInt(resource: resource, algorithm: int64, shape: shape_dtype, minval: dtype, maxval: dtype) -> (output: dtype) {dtype: type = INT64; shape_dtype: type = INT64} stateful")
public record StatefulUniformInt(DType dtype) implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        c.scalar(3);
        c.scalar(4);
        return List.of(new TensorType(dtype, Randoms.shape(c, 2)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Randoms.requirePhilox(c.input(1).getLong(0));
            long low = c.input(3).getLong(0), high = c.input(4).getLong(0);
            require(low < high, INVALID_ARGUMENT, "Need minval < maxval, got %d >= %d", low, high);
            Distributions.uniformInt(Randoms.advance(c, c.output(0).size()), low, high, c.output(0), c.parallel());
        };
    }
}
