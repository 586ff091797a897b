package dev.oxbow.collective.algorithm;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Shared memory in which one rank tells the others how far it is in a {@link SharedAllReduce}; a view of one rank. */
final class Board {

    /*
     * Each word has 128 bytes to itself, since processors fetch cache lines in pairs and others read one word while the
     * owner writes the next. Only the owner writes. Counts are compared and never used to compute an address.
     */

    /** Bytes of a board. */
    static final int BYTES = 6 * 128;

    /** Which kind of memory the rank shares. */
    enum Shares {
        NOTHING,
        /** The buffer itself: contributions lie in it from the start, results come into it. */
        BUFFER,
        /** A stage for some chunks at a time. */
        STAGE
    }

    private static final long KIND = 0;
    private static final long REFERENCE = 8;
    private static final long GIVEN = 128;
    private static final long COMBINED = 256;
    private static final long COPIED = 384;
    private static final long ASLEEP = 512;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final long at;

    Board(long address) {
        at = address;
    }

    /** Fills a new board. */
    void write(Shares shares, long reference) {
        Memory.zero(at, BYTES);
        Memory.putLong(at + KIND, shares.ordinal());
        Memory.putLong(at + REFERENCE, reference);
        if (shares == Shares.BUFFER) give(Long.MAX_VALUE);
    }

    Shares shares() {
        long kind = Memory.getLong(at + KIND);
        return kind == Shares.BUFFER.ordinal()
                ? Shares.BUFFER
                : kind == Shares.STAGE.ordinal() ? Shares.STAGE : Shares.NOTHING;
    }

    long reference() {
        return Memory.getLong(at + REFERENCE);
    }

    /** Chunks of every segment that others may combine. */
    long given() {
        return (long) LONG.getAcquire(Memory.ALL, at + GIVEN);
    }

    void give(long chunks) {
        LONG.setRelease(Memory.ALL, at + GIVEN, chunks);
    }

    /** Chunks of the rank's own segment that have their result. */
    long combined() {
        return (long) LONG.getAcquire(Memory.ALL, at + COMBINED);
    }

    void combine(long chunks) {
        LONG.setRelease(Memory.ALL, at + COMBINED, chunks);
    }

    /** Chunks of every other segment whose result the rank has taken. */
    long copied() {
        return (long) LONG.getAcquire(Memory.ALL, at + COPIED);
    }

    void copy(long chunks) {
        LONG.setRelease(Memory.ALL, at + COPIED, chunks);
    }

    /** Whether the rank wants to be woken when a count has changed; to be asked after the change. */
    boolean isAsleep() {
        VarHandle.fullFence();
        return (long) LONG.getOpaque(Memory.ALL, at + ASLEEP) != 0;
    }

    /** To be followed by a last look. */
    void sleep(boolean asleep) {
        LONG.setVolatile(Memory.ALL, at + ASLEEP, asleep ? 1L : 0L);
        VarHandle.fullFence();
    }
}
