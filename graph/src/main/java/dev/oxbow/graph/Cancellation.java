package dev.oxbow.graph;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A token whose cancelling ends the waits registered on it. Nothing is interrupted. Thread-safe. */
public final class Cancellation {
    private OxbowException reason;
    private final Map<Long, Consumer<OxbowException>> waits = new LinkedHashMap<>();
    private long next;

    /** Cancels once; later calls do nothing. Callbacks run on this thread, in the order in which they were registered. */
    public void cancel(ErrorCode code, String why) {
        cancel(new OxbowException(code, why));
    }

    /** As above, for a reason that others have: the error of a step, or another token's. */
    public void cancel(OxbowException why) {
        List<Consumer<OxbowException>> all;
        synchronized (this) {
            if (reason != null) return;
            reason = why;
            all = List.copyOf(waits.values());
            waits.clear();
        }
        all.forEach(w -> w.accept(why));
    }

    public synchronized boolean isCancelled() {
        return reason != null;
    }

    public synchronized OxbowException reason() {
        return reason;
    }

    /**
     * Calls {@code onCancel} when cancelled; returns a number for {@link #unregister}, or -1 when already cancelled,
     * in which case the callback is not kept and not called.
     */
    public synchronized long register(Consumer<OxbowException> onCancel) {
        if (reason != null) return -1;
        waits.put(next, onCancel);
        return next++;
    }

    /** Removes a callback; false when it has been or is being called. */
    public synchronized boolean unregister(long number) {
        return waits.remove(number) != null;
    }
}
