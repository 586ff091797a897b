package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;

/** Values that are kept on the device between runs, behind names that are handed out as strings. */
final class SessionTensors implements Resource {
    private final Map<String, Tensor> kept = new HashMap<>();
    private long next;

    static SessionTensors of(KernelContext c) {
        return c.containers().lookupOrCreate("", "session tensors", SessionTensors.class, SessionTensors::new);
    }

    /** Keeps a value, taking over one reference, and names it {@code node;number;device}. */
    synchronized String keep(String node, String device, Tensor t) {
        String name = node + ";" + next++ + ";" + device;
        kept.put(name, t);
        return name;
    }

    /** The value with this name, with a reference for the caller. */
    synchronized Tensor get(String name) {
        Tensor t = kept.get(name);
        require(t != null, INVALID_ARGUMENT, "The tensor with handle '%s' is not in the session store.", name);
        return t.retain();
    }

    synchronized void delete(String name) {
        Tensor t = kept.remove(name);
        require(t != null, INVALID_ARGUMENT, "Failed to delete a tensor with handle '%s' in the session store.", name);
        t.release();
    }

    @Override
    public synchronized void close() {
        kept.values().forEach(Tensor::release);
        kept.clear();
    }

    @Override
    public String kind() {
        return "SessionTensors";
    }
}
