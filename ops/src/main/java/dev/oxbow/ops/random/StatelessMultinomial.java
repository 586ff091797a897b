package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Draws;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Classes drawn with probability proportional to {@code exp(logits)}, the same for the same seeds. */
@Signature(
        "StatelessMultinomial(logits: T, num_samples: int32, seed: Tseed) -> (output: output_dtype) {T: type in [REAL]; Tseed: type in [INT32 INT64] = INT64; output_dtype: type in [INT32 INT64] = INT64}")
public record StatelessMultinomial(DType outputDtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Randoms.checkSeed(c, 2);
        return Categorical.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            if (c.output(0).size() > 0) Draws.categorical(Randoms.stateless(c, 2), c.input(0), c.output(0));
        };
    }
}
