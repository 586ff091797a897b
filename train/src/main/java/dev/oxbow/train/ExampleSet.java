package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Sample;
import java.util.function.LongFunction;

/**
 * What an experiment learns from, or is tested on: tensors in memory ({@link Examples}), or what pipelines give.
 *
 * {@snippet :
 * ImageFolder photos = ImageFolder.of("photos");
 * Augment plain = Augment.to(64, 64), random = plain.randomCrop(0.25, 1, 0.75, 1.33).flip(0.5);
 * ExampleSet all = ExampleSet.of(
 *         photos.entries().size(),
 *         photos.images().map("plain", 0, plain),
 *         seed -> photos.images().shuffle(seed).map("augment", seed, random));
 * }
 */
public interface ExampleSet extends AutoCloseable {

    /** How many there are in an epoch. */
    long size();

    /** Batches in order; the last one has what is left. */
    Batches batches(int size);

    /** Batches in an order that the seed and the number of the epoch decide, with whatever else is random. */
    Batches shuffled(int size, long seed);

    @Override
    void close();

    /**
     * Samples of pipelines: the last tensor is the target, those before it are the inputs.
     *
     * @param size how many each of them gives
     * @param ordered samples as they are, to be tested on
     * @param shuffled samples in a random order by seed, changed at random or not, to learn from
     */
    static ExampleSet of(long size, Pipeline<Sample> ordered, LongFunction<Pipeline<Sample>> shuffled) {
        require(size >= 0, INVALID_ARGUMENT, "ExampleSet: can not have %d examples", size);
        return new ExampleSet() {
            @Override
            public long size() {
                return size;
            }

            @Override
            public Batches batches(int rows) {
                return Batches.of(ordered.batch(rows));
            }

            @Override
            public Batches shuffled(int rows, long seed) {
                return Batches.of(shuffled.apply(seed).batch(rows));
            }

            @Override
            public void close() {}
        };
    }
}
