package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Draws;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Drawing;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Classes drawn with probability proportional to {@code exp(logits)}, num_samples for each row. */
@Signature(
        "Multinomial(logits: T, num_samples: int32) -> (output: output_dtype) {seed: int = 0; seed2: int = 0; T: type in [REAL]; output_dtype: type in [INT32 INT64] = INT64} stateful")
public record Multinomial(long seed, long seed2, DType outputDtype) implements NotDifferentiable, Drawing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Categorical.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor logits = c.input(0), y = c.output(0);
            if (y.size() == 0) return;
            long outputs =
                    Draws.categoricalOutputs(logits.shape().dim(0), y.shape().dim(1));
            Draws.categorical(Randoms.reserve(c, seed, seed2, outputs), logits, y);
        };
    }
}
