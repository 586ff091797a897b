package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Distributions;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Normal numbers with mean 0 and deviation 1, the same for the same seeds. */
@Signature(
        "StatelessRandomNormal(shape: T, seed: Tseed) -> (output: dtype) {dtype: type in [FLOATING] = FLOAT; T: type in [INT32 INT64] = INT32; Tseed: type in [INT32 INT64] = INT64}")
public record StatelessRandomNormal(DType dtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Randoms.checkSeed(c, 1);
        return Randoms.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> Distributions.normal(Randoms.stateless(c, 1), c.output(0), c.parallel());
    }
}
