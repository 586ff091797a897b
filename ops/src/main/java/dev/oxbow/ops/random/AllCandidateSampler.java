package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Drawing;
import java.util.List;

/** Every class as a candidate, each expected once. */
@Signature(
        "AllCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float, sampled_expected_count: float) {num_true: int >= 1; num_sampled: int >= 1; unique: bool; seed: int = 0; seed2: int = 0} stateful")
public record AllCandidateSampler(int numTrue, int numSampled, boolean unique, long seed, long seed2)
        implements NotDifferentiable, Drawing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Candidates.infer(c, numTrue, numSampled);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            for (int i = 0; i < numSampled; i++) c.output(0).setLong(i, i);
            for (int output = 1; output <= 2; output++)
                for (long i = 0; i < c.output(output).size(); i++)
                    c.output(output).set(i, 1);
        };
    }
}
