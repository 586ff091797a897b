package dev.oxbow.runtime.run;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.graph.Rendezvous;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sends and receives of one step between the devices of this process. */
final class LocalRendezvous implements Rendezvous {
    private static final Object DEAD = new Object();

    private final Map<String, Object> waiting = new HashMap<>();
    private boolean ended;
    private Throwable why;

    @Override
    public void send(String key, Tensor value) {
        Receiver receiver;
        synchronized (this) {
            Object there = ended ? null : waiting.remove(key);
            if (there instanceof Receiver r) receiver = r;
            else {
                if (ended || there instanceof Throwable) {
                    if (there != null) waiting.put(key, there);
                    if (value != null) value.release();
                    return;
                }
                if (there != null) throw new OxbowException(INTERNAL, "Rendezvous: key " + key + " was sent twice");
                waiting.put(key, value == null ? DEAD : value);
                return;
            }
        }
        receiver.accept(value, null);
    }

    @Override
    public void receive(String key, Receiver then) {
        Object there;
        synchronized (this) {
            if (!ended) {
                there = waiting.remove(key);
                if (there == null) {
                    waiting.put(key, then);
                    return;
                }
                if (there instanceof Receiver)
                    throw new OxbowException(INTERNAL, "Rendezvous: key " + key + " is received twice");
            } else {
                there = reason();
            }
        }
        if (there instanceof Throwable t) then.accept(null, t);
        else then.accept(there == DEAD ? null : (Tensor) there, null);
    }

    /** Says that a value will not come, unless it is there. */
    void refuse(String key, Throwable reason) {
        Object there;
        synchronized (this) {
            if (ended) return;
            there = waiting.get(key);
            if (there != null && !(there instanceof Receiver)) return;
            waiting.put(key, reason);
        }
        if (there != null) ((Receiver) there).accept(null, reason);
    }

    @Override
    public void end(Throwable why) {
        List<Object> left;
        synchronized (this) {
            if (ended) return;
            ended = true;
            this.why = why;
            if (waiting.isEmpty()) return;
            left = new ArrayList<>(waiting.values());
            waiting.clear();
        }
        for (Object o : left) {
            if (o instanceof Tensor t) t.release();
            else if (o instanceof Receiver r) r.accept(null, reason());
        }
    }

    /** Why waits end; made only when one does, since a step that ends well has none. */
    private synchronized Throwable reason() {
        if (why == null) why = new OxbowException(ABORTED, "the step has ended");
        return why;
    }
}
