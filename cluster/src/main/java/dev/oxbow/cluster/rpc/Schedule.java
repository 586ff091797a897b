package dev.oxbow.cluster.rpc;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;

/** Where and when a task does things: on threads of its process, or in the virtual time of a simulation. */
public interface Schedule {
    /** As {@link System#nanoTime}. */
    long nanoTime();

    /** For what may take longer than others who share a thread should wait; it never refuses. */
    Executor slow();

    /** Does something later, on a thread that must not be held up. */
    Future<?> after(Duration delay, Runnable task);

    /** Does something again and again, on a thread that must not be held up. */
    Future<?> every(Duration period, Runnable task);

    /** Where steps compute, given the threads of their devices. */
    default Executor compute(Executor threads) {
        return threads;
    }

    /** Whether nothing may depend on how long something really took. */
    default boolean isVirtual() {
        return false;
    }
}
