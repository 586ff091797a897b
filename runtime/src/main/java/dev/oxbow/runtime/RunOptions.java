package dev.oxbow.runtime;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Tracer;
import java.time.Duration;

/**
 * Options of one run, each of which may be null.
 *
 * @param timeout the deadline
 * @param cancellation a token to cancel it from another thread
 * @param key tells runs of several processes together apart: those with the same key meet, and runs with different keys do
 *     not wait for each other. Keys are for runs that come again, such as those of one thread; runs without one meet in the
 *     order in which each process begins them
 * @param tracer sees what the step does
 */
public record RunOptions(Duration timeout, Cancellation cancellation, String key, Tracer tracer) {
    public RunOptions(Duration timeout, Cancellation cancellation) {
        this(timeout, cancellation, null, null);
    }

    public static RunOptions none() {
        return new RunOptions(null, null);
    }

    public static RunOptions timeout(Duration d) {
        return new RunOptions(d, null);
    }

    public RunOptions withKey(String key) {
        return new RunOptions(timeout, cancellation, key, tracer);
    }

    public RunOptions withTracer(Tracer t) {
        return new RunOptions(timeout, cancellation, key, t);
    }
}
