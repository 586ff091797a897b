package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Distributions;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Uniform whole numbers in [minval, maxval), the same for the same seeds. */
@Signature(
        "StatelessRandomUniformInt(shape: T, seed: Tseed, minval: dtype, maxval: dtype) -> (output: dtype) {dtype: type in [INT32 INT64]; T: type in [INT32 INT64]; Tseed: type in [INT32 INT64] = INT64}")
public record StatelessRandomUniformInt() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(2);
        c.scalar(3);
        Randoms.checkSeed(c, 1);
        return Randoms.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            if (c.output(0).size() == 0) return;
            long low = c.input(2).getLong(0), high = c.input(3).getLong(0);
            require(low < high, INVALID_ARGUMENT, "Need minval < maxval, got %d >= %d", low, high);
            Distributions.uniformInt(Randoms.stateless(c, 1), low, high, c.output(0), c.parallel());
        };
    }
}
