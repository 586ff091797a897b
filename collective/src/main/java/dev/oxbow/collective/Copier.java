package dev.oxbow.collective;

import dev.oxbow.net.Contest;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Streaming;
import java.util.function.LongSupplier;

/** Copies to memory that other ranks read in place, plainly or past the caches: as was faster when both were last tried. */
final class Copier {
    /** Shorter copies are not worth a look at the clock. */
    private static final long WORTH = 4 << 10;

    /** What is stored plainly is in a cache when this rank reads it again; so past the caches must be that much faster. */
    private static final double MARGIN = 1.25;

    /** One way to copy. */
    @FunctionalInterface
    interface Way {
        void copy(long from, long to, long bytes);
    }

    private final LongSupplier clock;
    private final Way plain;
    private final Way streaming;
    private final Contest contest = new Contest(MARGIN);

    Copier(LongSupplier clock, Way plain, Way streaming) {
        this.clock = clock;
        this.plain = plain;
        this.streaming = streaming;
    }

    /** A copier by this clock, of nanoseconds. */
    static Copier by(LongSupplier clock) {
        return new Copier(clock, Memory::copy, Streaming::copy);
    }

    void copy(long from, long to, long bytes) {
        if (bytes < WORTH) {
            plain.copy(from, to, bytes);
            return;
        }
        boolean streams = contest.takesSecond();
        long start = clock.getAsLong();
        (streams ? streaming : plain).copy(from, to, bytes);
        contest.took(streams, bytes, clock.getAsLong() - start);
    }
}
