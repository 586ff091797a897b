package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

/**
 * For whom an epoch is opened.
 *
 * @param epoch counted from 0; it decides what is random
 * @param rank the worker, of {@code ranks}, whose rows of each batch are computed; the order is the same for all
 * @param workers threads for stages that must compute elements to know the order of others
 */
public record Setting(long epoch, int rank, int ranks, Workers workers) {

    public Setting {
        require(epoch >= 0, INVALID_ARGUMENT, "input: epochs are counted from 0, got %d", epoch);
        require(
                ranks > 0 && rank >= 0 && rank < ranks,
                INVALID_ARGUMENT,
                "input: rank %d must be one of %d, counted from 0",
                rank,
                ranks);
    }

    /** The only worker, with no threads but the caller's. */
    public static Setting alone(long epoch) {
        return new Setting(epoch, 0, 1, Workers.NONE);
    }

    /** The same in another epoch. */
    public Setting at(long other) {
        return new Setting(other, rank, ranks, workers);
    }

    /** The same for somebody who needs all rows. */
    public Setting whole() {
        return ranks == 1 ? this : new Setting(epoch, 0, 1, workers);
    }

    /** The rows of this worker, where an element is a batch that was made whole; any other element as it is. */
    <T> Lazy<T> own(Lazy<T> whole) {
        return ranks == 1 || whole == null ? whole : whole.then(this::own);
    }

    /** As above, of an element that is there. */
    @SuppressWarnings("unchecked")
    <T> T own(T whole) {
        if (ranks == 1 || !(whole instanceof Batch b) || b.held() != b.rows()) return whole;
        try (b) {
            return (T) b.share(rank, ranks);
        }
    }
}
