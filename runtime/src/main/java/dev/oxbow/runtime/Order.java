package dev.oxbow.runtime;

/** The order in which a device works where that is later: a kernel there returns when its work was put into it. */
public interface Order {

    /** The point of now: it is reached when all that was put into the order before is done. */
    Event mark();

    /** Waits until all that was put into it before is done; fails when the device did. */
    default void await() {
        mark().await();
    }

    /** What a region that runs again and again may be remembered by; null where there is nothing to gain. */
    default Replay replay() {
        return null;
    }

    /** A point of an order. */
    interface Event {
        /** Whether it is reached, without waiting. */
        boolean isReached();

        /** Waits for it; fails when the device did. */
        void await();
    }

    /**
     * What one region puts into the order, run after run. A device may do it in one piece after it has seen the same twice;
     * whatever differs is done as if nothing had been seen.
     */
    interface Replay extends AutoCloseable {
        /** The calling thread goes on with a run, or begins one. */
        void enter(boolean begins);

        /** It leaves the run, which has come to its end or goes on later. */
        void leave(boolean ended);

        /** The region is given up. */
        @Override
        void close();
    }
}
