package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Drawing;
import java.util.List;

/** Classes drawn uniformly. */
@Signature(
        "UniformCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float, sampled_expected_count: float) {num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; seed: int = 0; seed2: int = 0} stateful")
public record UniformCandidateSampler(int numTrue, int numSampled, boolean unique, long rangeMax, long seed, long seed2)
        implements NotDifferentiable, Drawing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Candidates.infer(c, numTrue, numSampled);
    }

    @Override
    public Kernel cpu() {
        return Candidates.kernel(() -> Sampler.uniform(rangeMax), numSampled, unique, seed, seed2);
    }
}
