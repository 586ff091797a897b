package dev.oxbow.benchmarks;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** A collective that is timed, and the bytes that cross a link for each byte of the buffer. */
enum Collective {
    ALL_REDUCE,
    REDUCE,
    REDUCE_SCATTER,
    ALL_GATHER,
    BROADCAST,
    SCATTER,
    GATHER,
    ALL_TO_ALL,
    /** One way, from rank 0 to rank 1. */
    SEND;

    /** Such as {@code all-reduce}. */
    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Optional<Collective> of(String key) {
        String plain = key.replace("-", "").replace("_", "");
        return Arrays.stream(values())
                .filter(c -> c.key().replace("-", "").equalsIgnoreCase(plain))
                .findFirst();
    }

    static String keys() {
        return Arrays.stream(values()).map(Collective::key).collect(Collectors.joining(", "));
    }

    /** Bus bandwidth over algorithm bandwidth: what the busiest link must carry in the best of all algorithms. */
    double busFactor(int ranks) {
        double others = (ranks - 1.0) / ranks;
        return switch (this) {
            case ALL_REDUCE -> 2 * others;
            case REDUCE_SCATTER, ALL_GATHER, SCATTER, GATHER, ALL_TO_ALL -> others;
            case REDUCE, BROADCAST, SEND -> 1;
        };
    }

    /** Whether the buffer is one segment for each rank. */
    boolean isSegmented() {
        return switch (this) {
            case REDUCE_SCATTER, ALL_GATHER, SCATTER, GATHER, ALL_TO_ALL -> true;
            case ALL_REDUCE, REDUCE, BROADCAST, SEND -> false;
        };
    }

    /** The f32 elements of a buffer of about so many bytes. */
    long count(long bytes, int ranks) {
        long count = Math.max(1, bytes / Float.BYTES);
        return isSegmented() ? Math.max(1, count / ranks) * ranks : count;
    }
}
