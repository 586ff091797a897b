package dev.oxbow.runtime;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.graph.Tracer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all parts of one step share.
 *
 * @param id the same in all tasks that take part
 * @param key tells runs of several processes together apart, see {@link RunOptions}; may be null
 * @param rendezvous where its sends and receives meet; it ends with the step
 * @param tracer null where nobody wants to see what it does
 */
public record StepContext(long id, String key, Cancellation cancellation, Rendezvous rendezvous, Tracer tracer) {
    private static final AtomicLong STEPS = new AtomicLong(1);

    /** The number of a step that this process alone takes. */
    public static long nextId() {
        return STEPS.getAndIncrement();
    }
}
