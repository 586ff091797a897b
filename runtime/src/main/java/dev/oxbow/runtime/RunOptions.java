package dev.oxbow.runtime;

import dev.oxbow.graph.Cancellation;
import java.time.Duration;

/** Options of one run: a deadline, and a token to cancel it from another thread; both may be null. */
public record RunOptions(Duration timeout, Cancellation cancellation) {
    public static RunOptions none() {
        return new RunOptions(null, null);
    }

    public static RunOptions timeout(Duration d) {
        return new RunOptions(d, null);
    }
}
