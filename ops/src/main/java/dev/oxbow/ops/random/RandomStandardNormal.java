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

/** Normal numbers with mean 0 and deviation 1. */
@Signature(
        "RandomStandardNormal(shape: T) -> (output: dtype) {seed: int = 0; seed2: int = 0; dtype: type in [FLOATING]; T: type in [INT32 INT64]} stateful")
public record RandomStandardNormal(long seed, long seed2, DType dtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Randoms.infer(c);
    }

    @Override
    public Effects effects() {
        return Effects.RANDOM;
    }

    @Override
    public Kernel cpu() {
        return Randoms.kernel(seed, seed2, Distributions::normal);
    }
}
