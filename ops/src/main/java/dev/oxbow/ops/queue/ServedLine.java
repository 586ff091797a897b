package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Serves who asks one at a time, in the order of asking, without holding a thread. Whose step is cancelled leaves the line at
 * once; a step's deadline cancels it, so nobody waits beyond that.
 */
public final class ServedLine {

    /** Serves one; it runs what it is given when it has ended, now or later, exactly once. */
    public interface Service {
        void begin(Runnable ended);
    }

    private final String name;
    private final Set<Waiting> line = new LinkedHashSet<>();
    private final Again serving = new Again(this::serve);
    private boolean busy;
    private boolean closed;

    /** A line in front of something that messages name. */
    public ServedLine(String name) {
        this.name = name;
    }

    private static final class Waiting {
        final Cancellation step;
        final Consumer<OxbowException> refused;
        final Service service;
        long registration = -1;

        Waiting(Cancellation step, Consumer<OxbowException> refused, Service service) {
            this.step = step;
            this.refused = refused;
            this.service = service;
        }
    }

    /** Asks on behalf of a step; {@code refused} is told when the step ends, or the line does, before the service begins. */
    public void ask(Cancellation step, Consumer<OxbowException> refused, Service service) {
        Waiting w = new Waiting(step, refused, service);
        OxbowException wrong = null;
        synchronized (this) {
            if (closed) {
                wrong = deleted();
            } else {
                line.add(w);
                w.registration = step.register(reason -> cancelled(w, reason));
                if (w.registration < 0) {
                    line.remove(w);
                    wrong = step.reason().rethrown();
                }
            }
        }
        if (wrong != null) refused.accept(wrong);
        else serving.run();
    }

    private OxbowException deleted() {
        return new OxbowException(CANCELLED, name + " was deleted");
    }

    private void cancelled(Waiting w, OxbowException reason) {
        synchronized (this) {
            if (!line.remove(w)) return;
        }
        w.refused.accept(reason);
    }

    private void serve() {
        Waiting next;
        synchronized (this) {
            if (busy || line.isEmpty()) return;
            next = line.iterator().next();
            line.remove(next);
            busy = true;
        }
        if (next.step.unregister(next.registration)) {
            next.service.begin(this::ended);
        } else { // cancelled since: what it would be given would be lost
            ended();
            next.refused.accept(next.step.reason().rethrown());
        }
    }

    private void ended() {
        synchronized (this) {
            busy = false;
        }
        serving.run();
    }

    /** Refuses who waits, and whoever asks later. */
    public void close() {
        List<Waiting> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(line);
            line.clear();
        }
        for (Waiting w : left) {
            w.step.unregister(w.registration);
            w.refused.accept(deleted());
        }
    }
}
