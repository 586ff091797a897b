package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Drawing;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.OxbowException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Classes drawn by given weights, each raised to the power of the distortion. */
@Signature(
        "FixedUnigramCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float, sampled_expected_count: float) {num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; vocab_file: string = \"\"; distortion: float = 1.0; num_reserved_ids: int = 0; num_shards: int = 1 >= 1; shard: int = 0 >= 0; unigrams: list(float) = []; seed: int = 0; seed2: int = 0} stateful")
public record FixedUnigramCandidateSampler(
        int numTrue,
        int numSampled,
        boolean unique,
        long rangeMax,
        String vocabFile,
        float distortion,
        int numReservedIds,
        int numShards,
        int shard,
        List<Float> unigrams,
        long seed,
        long seed2)
        implements NotDifferentiable, Drawing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                vocabFile.isEmpty() != unigrams.isEmpty(),
                INVALID_ARGUMENT,
                "Must provide exactly one of vocab_file and unigrams");
        require(
                numReservedIds >= 0 && shard >= 0 && numShards >= 1,
                INVALID_ARGUMENT,
                "needs num_reserved_ids >= 0, shard >= 0 and num_shards >= 1, got %d, %d and %d",
                numReservedIds,
                shard,
                numShards);
        return Candidates.infer(c, numTrue, numSampled);
    }

    @Override
    public Kernel cpu() {
        return Candidates.kernel(() -> Sampler.fixed(weights()), numSampled, unique, seed, seed2);
    }

    /** One weight for each class of this shard; reserved classes have none. */
    private float[] weights() {
        List<Float> given = unigrams.isEmpty() ? fromFile() : unigrams;
        long all = (long) numReservedIds + given.size(),
                mine = Math.ceilDiv(Math.max(0, all - shard), (long) numShards);
        require(mine == rangeMax, INVALID_ARGUMENT, "range_max is %d, but there are %d weights", rangeMax, mine);
        float[] weights = new float[Counts.objects(mine, 48)];
        for (int k = 0; k < weights.length; k++) {
            long i = shard + (long) k * numShards - numReservedIds;
            if (i >= 0) weights[k] = (float) Math.pow(given.get((int) i), distortion);
        }
        return weights;
    }

    /** The last comma-separated field of each line. */
    private List<Float> fromFile() {
        try {
            return new String(Arguments.contents(vocabFile), StandardCharsets.UTF_8)
                    .lines()
                    .filter(l -> !l.isBlank())
                    .map(l ->
                            Float.parseFloat(l.substring(l.lastIndexOf(',') + 1).strip()))
                    .toList();
        } catch (NumberFormatException e) {
            throw new OxbowException(INVALID_ARGUMENT, "cannot read the weights of " + vocabFile, e);
        }
    }
}
