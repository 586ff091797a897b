package dev.oxbow.cluster.worker;

import static dev.oxbow.tensor.ErrorCode.ABORTED;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where the values of one step meet in one task: those that it makes, and those that it wants of others. */
final class StepRendezvous implements Rendezvous {

    /*
     * The program of the step is not the only one who sends and receives here: other tasks come for values, before it has
     * begun or after it has ended well, and a client feeds and fetches partial runs. So its good end (end(null)) ends
     * nothing here; its error does, and CleanupGraph, by close().
     */

    /** Brings values of other tasks. */
    interface Source {
        /** Whether a value is made in this task. */
        boolean isLocal(String key);

        /** Asks for a value until it comes or the token is cancelled. */
        void fetch(long step, String key, Cancellation cancellation, Receiver then);
    }

    private static final Object DEAD = new Object();

    private final long step;
    private final Source source;
    private final Map<String, Object> waiting = new HashMap<>();
    /** Ends what was asked of other tasks. */
    private final Cancellation fetches = new Cancellation();

    /** What was asked of other tasks and has not come, with the time since when; null where nothing ever was. */
    private Map<String, Long> wanted;

    private OxbowException ended;

    StepRendezvous(long step, Source source) {
        this.step = step;
        this.source = source;
    }

    @Override
    public void send(String key, Tensor value) {
        Receiver receiver = null;
        boolean twice = false, late;
        synchronized (this) {
            late = ended != null;
            Object there = late ? null : waiting.get(key);
            if (there instanceof Receiver r) {
                waiting.remove(key);
                receiver = r;
            } else if (there != null) twice = true;
            else if (!late) {
                waiting.put(key, value == null ? DEAD : value);
                return;
            }
        }
        if (receiver != null) {
            receiver.accept(value, null);
            return;
        }
        if (value != null) value.release();
        if (twice) throw new OxbowException(INTERNAL, "Rendezvous: key " + key + " was sent twice");
    }

    @Override
    public void receive(String key, Receiver then) {
        if (source.isLocal(key)) take(key, then);
        else {
            want(key);
            source.fetch(step, key, fetches, (value, error) -> {
                came(key);
                then.accept(value, error);
            });
        }
    }

    private synchronized void want(String key) {
        if (wanted == null) wanted = new HashMap<>();
        wanted.put(key, System.nanoTime());
    }

    private synchronized void came(String key) {
        wanted.remove(key);
    }

    /** Since when it waits for which values of other tasks, as {@link System#nanoTime} has it. */
    synchronized Map<String, Long> wanted() {
        return wanted == null ? Map.of() : Map.copyOf(wanted);
    }

    /** Takes a value that this task makes, for whoever wants it. */
    void take(String key, Receiver then) {
        Object there;
        synchronized (this) {
            there = ended != null ? ended : waiting.remove(key);
            if (there instanceof Receiver r) {
                waiting.put(key, r);
                there = new OxbowException(ABORTED, "Rendezvous: key " + key + " is waited for by another already");
            }
            if (there == null) {
                waiting.put(key, then);
                return;
            }
        }
        if (there instanceof Throwable t) then.accept(null, t);
        else then.accept(there == DEAD ? null : (Tensor) there, null);
    }

    /** Forgets that somebody waits, who has given up; false when the value was handed over, or is being so. */
    synchronized boolean withdraw(String key, Receiver who) {
        return waiting.remove(key, who);
    }

    @Override
    public void end(Throwable why) {
        if (why != null) close(Statuses.of(why));
    }

    /** Ends every wait, now and later, and frees what nobody came for. */
    void close(OxbowException why) {
        List<Object> left;
        synchronized (this) {
            if (ended != null) return;
            ended = why;
            left = new ArrayList<>(waiting.values());
            waiting.clear();
        }
        for (Object o : left) {
            if (o instanceof Tensor t) t.release();
            else if (o instanceof Receiver r) r.accept(null, why);
        }
        fetches.cancel(why);
    }

    /** How many values and waits it holds. */
    synchronized int size() {
        return waiting.size();
    }
}
