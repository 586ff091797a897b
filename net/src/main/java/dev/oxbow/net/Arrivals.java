package dev.oxbow.net;

import dev.oxbow.tensor.Buffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** The messages of one peer that came before they were asked for, or that are lent to who did; what they count. */
final class Arrivals {

    /** What a message that nobody has asked for counts besides its bytes, so that empty and shared ones have a bound too. */
    static final long OVERHEAD = 512;

    private final Map<Long, ArrayDeque<Arrival>> byTag = new HashMap<>();
    private final Map<Operation, Arrival> lent = new HashMap<>();
    private final LongConsumer taken;
    private long held;

    /** A message that came before its receive; {@code buffer} is null when it lies in shared memory. */
    static final class Arrival {
        final long tag;
        final long length;
        final long channel;
        final long id;
        final Buffer buffer;
        final long address;
        long moved;
        Operation op;

        Arrival(long tag, long length, long channel, long id, Buffer buffer, long address) {
            this.tag = tag;
            this.length = length;
            this.channel = channel;
            this.id = id;
            this.buffer = buffer;
            this.address = address;
        }

        boolean isWhole() {
            return buffer == null || moved == length;
        }

        /** What it counts against the bound. */
        long cost() {
            return OVERHEAD + (buffer == null ? 0 : length);
        }
    }

    /** {@code taken} is told the number of each message in shared memory that is needed no more. */
    Arrivals(LongConsumer taken) {
        this.taken = taken;
    }

    /** What all of them count. */
    long held() {
        return held;
    }

    Arrival add(Arrival a) {
        held += a.cost();
        byTag.computeIfAbsent(a.tag, _ -> new ArrayDeque<>()).add(a);
        return a;
    }

    /** The first one with this tag that nobody has asked for, or {@code null}. */
    Arrival first(long tag) {
        ArrayDeque<Arrival> queue = byTag.get(tag);
        if (queue != null) for (Arrival a : queue) if (a.op == null) return a;
        return null;
    }

    /** Takes the first one with this tag that has been asked for and has come as a whole, or {@code null}; it still counts. */
    Arrival takeAsked(long tag) {
        ArrayDeque<Arrival> queue = byTag.get(tag);
        if (queue == null) return null;
        for (Iterator<Arrival> all = queue.iterator(); all.hasNext(); ) {
            Arrival a = all.next();
            if (a.op == null || !a.isWhole()) continue;
            all.remove();
            if (queue.isEmpty()) byTag.remove(tag);
            return a;
        }
        return null;
    }

    /** Keeps what was taken until its receive gives it back. */
    void lend(Operation to, Arrival a) {
        lent.put(to, a);
    }

    Arrival takeLent(Operation op) {
        return lent.remove(op);
    }

    /** Ends one that was taken. */
    void release(Arrival a) {
        held -= a.cost();
        if (a.buffer != null) a.buffer.release();
        else taken.accept(a.id);
    }

    /** A message in shared memory that was not read yet is forgotten; its receive waits on. A loan ends. */
    void revoke(long id, Consumer<Operation> waitsOn) {
        lent.values().removeIf(a -> {
            boolean revoked = a.buffer == null && a.id == id;
            if (revoked) release(a);
            return revoked;
        });
        for (ArrayDeque<Arrival> queue : byTag.values())
            queue.removeIf(a -> {
                if (a.buffer != null || a.id != id) return false;
                if (a.op != null && !a.op.ended) waitsOn.accept(a.op);
                release(a);
                return true;
            });
    }

    /** Drops those of a channel that nobody has asked for. */
    void forget(long channel) {
        for (ArrayDeque<Arrival> queue : byTag.values())
            queue.removeIf(a -> {
                boolean dropped = a.op == null && a.channel == channel;
                if (dropped) release(a);
                return dropped;
            });
        byTag.values().removeIf(ArrayDeque::isEmpty);
    }

    /** The receives that wait for the rest of what has begun to come. */
    List<Operation> operations() {
        List<Operation> all = new ArrayList<>();
        for (ArrayDeque<Arrival> queue : byTag.values()) for (Arrival a : queue) if (a.op != null) all.add(a.op);
        return all;
    }

    List<Long> tags() {
        return List.copyOf(byTag.keySet());
    }

    /** The peer is gone: drops all but what is held whole. */
    void close() {
        for (ArrayDeque<Arrival> queue : byTag.values())
            queue.removeIf(a -> {
                boolean kept = a.buffer != null && a.isWhole() && a.op == null;
                if (!kept && a.buffer != null) a.buffer.release();
                return !kept;
            });
        byTag.values().removeIf(ArrayDeque::isEmpty);
        for (Arrival a : lent.values()) if (a.buffer != null) a.buffer.release();
        lent.clear();
    }

    /** Drops what {@link #close} has left. */
    void discard() {
        for (ArrayDeque<Arrival> queue : byTag.values()) for (Arrival a : queue) a.buffer.release();
        byTag.clear();
        held = 0;
    }
}
