package dev.oxbow.tensor;

/** Where memory lies: on the host, or on a device, whose addresses mean nothing to the host. Thread-safe. */
public interface Space {

    /*
     * A device may do things later, in the order in which it was told to (a stream). Copies within its space and
     * clearing are such things. What comes from the host has been taken over when copyIn returns; what goes there has
     * arrived when copyOut returns, and holds all that was written before in that order. Memory may be given back while
     * work on it is under way: a space then waits for it. So one block may be handed out again at once, since whoever
     * writes to it comes later in the order.
     */

    /** Memory that the processor addresses. */
    Space HOST = new HostSpace();

    /** The name, for messages. */
    String name();

    /** What the place of every block is a multiple of: a power of two, 64 at least. */
    long alignment();

    /** The place of so many new bytes, not cleared; an OutOfMemoryError where there are no more. */
    long allocate(long bytes);

    /** Gives back what {@link #allocate} gave. */
    void free(long place);

    /** Copies within this space. */
    void copy(long from, long to, long bytes);

    void zero(long place, long bytes);

    /** Copies from the host's memory at {@code address}. */
    void copyIn(long address, long place, long bytes);

    /** Copies to the host's memory at {@code address}. */
    void copyOut(long place, long address, long bytes);

    /**
     * Copies from a place of another space, neither being the host's, after all that was written there before in that one's
     * order, and before all that is written there later; false, with nothing done, where only the host knows a way.
     */
    default boolean copyFrom(Space other, long from, long to, long bytes) {
        return false;
    }

    /** What moves elements to other processes from here without the host; fails with one sentence where there is nothing. */
    default Fabric fabric() {
        throw new OxbowException(
                ErrorCode.FAILED_PRECONDITION,
                name() + ": nothing moves elements between its memory and other processes'");
    }
}
