package dev.oxbow.graph;

import java.util.function.BooleanSupplier;

/** A service whose work moves on threads that have nothing else to do: a run lends it its own while it waits. Thread-safe. */
public interface Progress {
    /** Works until the condition holds or about so many nanoseconds have passed, and sleeps while there is nothing to do. */
    void work(BooleanSupplier until, long nanos);

    /** Makes threads in {@link #work} look at their condition. */
    void wakeUp();
}
