package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Distributions;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Drawing;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Uniform whole numbers in [minval, maxval). */
@Signature(
        "RandomUniformInt(shape: T, minval: Tout, maxval: Tout) -> (output: Tout) {seed: int = 0; seed2: int = 0; Tout: type in [INT32 INT64]; T: type in [INT32 INT64]} stateful")
public record RandomUniformInt(long seed, long seed2) implements NotDifferentiable, Drawing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        c.scalar(2);
        return Randoms.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            if (y.size() == 0) return;
            long low = c.input(1).getLong(0), high = c.input(2).getLong(0);
            require(low < high, INVALID_ARGUMENT, "Need minval < maxval, got %d >= %d", low, high);
            Distributions.uniformInt(Randoms.reserve(c, seed, seed2, y.size()), low, high, y, c.parallel());
        };
    }
}
