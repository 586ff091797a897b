package dev.oxbow.tensor;

import java.util.List;

/**
 * What moves elements between memories of one kind in several processes without their hosts, as NCCL does between cards.
 *
 * {@snippet :
 * try {
 *     Fabric between = Space.HOST.fabric();
 *     IO.println(between.name());
 * } catch (OxbowException none) {
 *     IO.println(none.getMessage()); // the host's memory has none
 * }
 * }
 */
public interface Fabric {

    /** How elements of all ranks become one. */
    enum Combining {
        SUM,
        PRODUCT,
        MAX,
        MIN,
        /** The sum, divided by the number of ranks. */
        MEAN
    }

    enum Kind {
        /** All ranks end with what their elements make. */
        ALL_REDUCE,
        /** The peer does. */
        REDUCE,
        /** All ranks end with the elements of the peer. */
        BROADCAST
    }

    /**
     * One part of what ranks do at once.
     *
     * @param to where the result lies, which may be where the elements do
     * @param how null where nothing is combined
     * @param peer the rank that gives or gets; -1 where all do the same
     */
    record Work(Kind kind, long from, long to, long count, DType dtype, Combining how, int peer) {}

    /** Its name and version. */
    String name();

    /** Whether it knows elements of a dtype, and how to combine them where that is not null. */
    boolean supports(DType dtype, Combining how);

    /** What one rank makes, and all join with. */
    byte[] identity();

    /** Begins to join others, of whom {@code rank} is this one's number; it does not wait for them. */
    Member join(byte[] identity, int rank, int size);

    /** This process among others. */
    interface Member extends AutoCloseable {

        /** Whether all ranks have joined; fails with what went wrong then, or later in what they did. */
        boolean isReady();

        /** Does this in the order of its memory. All ranks give the same in the same order, and nobody compares it. */
        void run(List<Work> all);

        /** The point of now in that order. */
        Mark mark();

        /** Ends what is under way, with anything as its result; {@code told}: whoever waits for what follows from that hears why. */
        void abort(OxbowException why, boolean told);

        /** Leaves, after all that is under way. */
        @Override
        void close();
    }

    /** A point in the order of a memory. */
    interface Mark {
        boolean isReached();
    }
}
