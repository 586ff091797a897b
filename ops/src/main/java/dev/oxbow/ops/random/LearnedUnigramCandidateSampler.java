package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;

/** Classes drawn by how often they occurred in earlier runs. */
@Signature(
        "LearnedUnigramCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float, sampled_expected_count: float) {num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; seed: int = 0; seed2: int = 0} stateful")
public record LearnedUnigramCandidateSampler(
        int numTrue, int numSampled, boolean unique, long rangeMax, long seed, long seed2)
        implements Candidates.Unigram {}
