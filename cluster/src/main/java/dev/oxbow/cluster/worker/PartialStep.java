package dev.oxbow.cluster.worker;

import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A step that is fed and fetched in several requests. */
final class PartialStep {
    private boolean begun;
    private boolean ended;
    private OxbowException error;
    private final List<Consumer<OxbowException>> waiting = new ArrayList<>();

    /** Whether the request that asks is the first. */
    synchronized boolean isFirst() {
        if (begun) return false;
        return begun = true;
    }

    void ended(OxbowException e) {
        List<Consumer<OxbowException>> all;
        synchronized (this) {
            ended = true;
            error = e;
            all = List.copyOf(waiting);
            waiting.clear();
        }
        all.forEach(w -> w.accept(e));
    }

    /** Calls back with the error of the step, or null, when it has ended. */
    void whenEnded(Consumer<OxbowException> then) {
        synchronized (this) {
            if (!ended) {
                waiting.add(then);
                return;
            }
        }
        then.accept(error);
    }
}
