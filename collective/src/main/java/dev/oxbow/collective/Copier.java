package dev.oxbow.collective;

import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Streaming;
import java.util.function.LongSupplier;

/** Copies to memory that other ranks read in place, plainly or past the caches: as was faster when both were last tried. */
final class Copier {

    /*
     * Which is faster depends on the processor and on the caches that the cores of the ranks share, and a virtual machine
     * may be moved to other cores at any time. So the slower one is tried again now and then.
     */

    /** Shorter copies are not worth a look at the clock. */
    private static final long WORTH = 4 << 10;

    /** Of so many copies one is done in the way that was slower. */
    private static final int TRIAL = 128;

    /** What is stored plainly is in a cache when this rank reads it again; so past the caches must be that much faster. */
    private static final double MARGIN = 1.25;

    /** A copy that took so many times as long as usual was interrupted. */
    private static final double INTERRUPTED = 4;

    private static final double WEIGHT = 1.0 / 4;

    /** One way to copy. */
    @FunctionalInterface
    interface Way {
        void copy(long from, long to, long bytes);
    }

    private final LongSupplier clock;
    private final Way plain;
    private final Way streaming;
    /** Nanoseconds that a byte takes. */
    private double plainTime;

    private double streamingTime;
    private int copies;

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
        boolean isTrial = copies++ % TRIAL == 0;
        boolean streams = streamingTime * MARGIN < plainTime != isTrial;
        long start = clock.getAsLong();
        (streams ? streaming : plain).copy(from, to, bytes);
        double time = (clock.getAsLong() - start) / (double) bytes;
        if (streams) streamingTime = blend(streamingTime, time);
        else plainTime = blend(plainTime, time);
    }

    private static double blend(double usual, double latest) {
        return usual == 0 ? latest : usual + (Math.min(latest, INTERRUPTED * usual) - usual) * WEIGHT;
    }
}
