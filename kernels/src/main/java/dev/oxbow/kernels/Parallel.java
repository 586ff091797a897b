package dev.oxbow.kernels;

/** Runs a task over {@code [0, n)} in ranges, possibly on several threads; returns when all of it is done. */
public interface Parallel {

    /** Everything in one range on the calling thread. */
    Parallel SERIAL = (n, grain, task) -> {
        if (n > 0) task.run(0, n);
    };

    /** Covers {@code [0, n)} by disjoint ranges of at least {@code grain} where possible; results must not depend on the cuts. */
    void run(long n, long grain, Range task);

    /** Work on {@code [from, to)}. */
    interface Range {
        void run(long from, long to);
    }
}
