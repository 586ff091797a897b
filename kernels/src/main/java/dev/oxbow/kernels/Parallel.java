package dev.oxbow.kernels;

/** Runs ranges of work on the process's threads. Work is cut by shape, never by thread count. */
public interface Parallel {
    /** Everything on the calling thread. */
    Parallel SERIAL = (n, grain, task) -> {
        if (n > 0) task.run(0, n);
    };

    /** Runs {@code task} on ranges that cover {@code [0, n)}, cut at multiples of {@code grain}; returns after the last. */
    void run(long n, long grain, Range task);

    /** How many threads may work at once; no result may depend on it. */
    default int threads() {
        return 1;
    }

    /** Work on the items {@code [from, to)}. */
    interface Range {
        void run(long from, long to);
    }
}
