package dev.oxbow.net;

/**
 * One kind of network between the ranks of a job, already formed: every rank has joined and proved who it is. One thread
 * at a time uses it; only {@link #wakeUp} may be called by any thread.
 */
public interface Transport extends AutoCloseable {
    int rank();

    int size();

    /** The link to another rank, the same object each time. */
    Link link(int peer);

    /** Looks which links can move, for transports that must ask; called at the beginning of each step. */
    default void poll() {}

    /** Whether links exist only once one side uses them; if so, {@link #opened} names those that peers opened. */
    default boolean opensLazily() {
        return false;
    }

    /** A peer that has opened its link to this rank and was not named before, or -1. */
    default int opened() {
        return -1;
    }

    /** Monotonic time in nanoseconds; the simulated network's is virtual. */
    long nanoTime();

    /** Waits until a link may have something to do, {@link #wakeUp} was called since the last wait, or {@code nanos} have passed. */
    void await(long nanos);

    /** Waits as {@link #await} does, for a thread that must not take time from others: it sleeps soon. */
    default void rest(long nanos) {
        await(nanos);
    }

    /** Ends the present or the next wait. */
    void wakeUp();

    /** The lowest rank on the host of a rank, as far as it is known which rank is where; else all are on one. */
    default int host(int rank) {
        return 0;
    }

    /** Whether this peer sees memory of {@link #allocateShared} in place. */
    default boolean shares(int peer) {
        return false;
    }

    /** Zeroed memory that peers may see in place, or 0 when this transport shares none; freed when the transport closes. */
    default long allocateShared(long bytes) {
        return 0;
    }

    /** Keeps the memory of {@link #allocateShared} when the transport closes, until the result is run, once. */
    default Runnable holdShared() {
        return () -> {};
    }

    @Override
    void close();
}
