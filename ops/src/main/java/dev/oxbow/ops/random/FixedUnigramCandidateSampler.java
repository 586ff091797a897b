package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
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
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                vocabFile.isEmpty() != unigrams.isEmpty(),
                INVALID_ARGUMENT,
                "FixedUnigramCandidateSampler: Must provide exactly one of vocab_file and unigrams");
        return Candidates.infer(c, numTrue, numSampled);
    }

    @Override
    public Effects effects() {
        return Effects.RANDOM;
    }

    @Override
    public Kernel cpu() {
        return Candidates.kernel(() -> Sampler.fixed(weights()), numSampled, unique, seed, seed2);
    }

    /** One weight for each class of this shard; reserved classes have none. */
    private float[] weights() {
        require(
                numReservedIds <= rangeMax * numShards,
                INVALID_ARGUMENT,
                "FixedUnigramCandidateSampler: range_max is %d, but %d ids are reserved",
                rangeMax,
                numReservedIds);
        List<Float> all = new ArrayList<>();
        for (int i = 0; i < numReservedIds; i++) all.add(0f);
        for (float u : unigrams.isEmpty() ? fromFile() : unigrams) all.add((float) Math.pow(u, distortion));
        List<Float> mine = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) if (i % numShards == shard) mine.add(all.get(i));
        require(
                mine.size() == rangeMax,
                INVALID_ARGUMENT,
                "FixedUnigramCandidateSampler: range_max is %d, but there are %d weights",
                rangeMax,
                mine.size());
        float[] weights = new float[mine.size()];
        for (int i = 0; i < weights.length; i++) weights[i] = mine.get(i);
        return weights;
    }

    /** The last comma-separated field of each line. */
    private List<Float> fromFile() {
        List<Float> weights = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(Arguments.path(vocabFile)))
                if (!line.isBlank())
                    weights.add(Float.parseFloat(
                            line.substring(line.lastIndexOf(',') + 1).strip()));
        } catch (IOException | NumberFormatException e) {
            throw new OxbowException(
                    INVALID_ARGUMENT, "FixedUnigramCandidateSampler: cannot read the weights of " + vocabFile, e);
        }
        return weights;
    }
}
