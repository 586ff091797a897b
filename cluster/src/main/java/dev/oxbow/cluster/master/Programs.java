package dev.oxbow.cluster.master;

import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** The programs of a session by kind of run. Each is made once, whoever asks first, and the least recently used goes. */
final class Programs {

    /** Values and nodes by name; {@code held} as {@link HeldFeeds#devices}, or empty where no feed is a handle. */
    record Key(List<String> feeds, List<String> fetches, List<String> targets, boolean partial, List<String> held) {
        Key(List<String> feeds, List<String> fetches, List<String> targets, boolean partial) {
            this(feeds, fetches, targets, partial, List.of());
        }
    }

    /** Makes a program. */
    @FunctionalInterface
    interface Maker {
        void make(Key key, BiConsumer<ClusterProgram, OxbowException> then);
    }

    private static final class Slot {
        ClusterProgram program;
        List<BiConsumer<ClusterProgram, OxbowException>> waiting = new ArrayList<>();
    }

    private final int most;
    private final Maker maker;
    private final Map<Key, Slot> slots = new LinkedHashMap<>(16, 0.75f, true);
    private boolean closed;
    private long made;

    Programs(int most, Maker maker) {
        this.most = most;
        this.maker = maker;
    }

    void get(Key key, BiConsumer<ClusterProgram, OxbowException> then) {
        Slot slot;
        boolean first = false;
        ClusterProgram there;
        synchronized (this) {
            slot = slots.get(key);
            if (slot == null) {
                slots.put(key, slot = new Slot());
                first = true;
            }
            there = slot.program;
            if (there == null) slot.waiting.add(then);
        }
        if (there != null) then.accept(there, null);
        Slot mine = slot;
        if (first) maker.make(key, (program, error) -> made(key, mine, program, error));
    }

    private void made(Key key, Slot slot, ClusterProgram program, OxbowException error) {
        List<BiConsumer<ClusterProgram, OxbowException>> all;
        List<ClusterProgram> gone = new ArrayList<>();
        synchronized (this) {
            slot.program = program;
            all = slot.waiting;
            slot.waiting = List.of();
            if (program == null) slots.remove(key, slot);
            else made++;
            if (closed && program != null) gone.add(program);
            if (!closed) dropOldest(gone);
        }
        all.forEach(w -> w.accept(program, error));
        gone.forEach(ClusterProgram::deregister);
    }

    /** Drops programs that were used longest ago; steps of them that run have what they need. */
    private void dropOldest(List<ClusterProgram> gone) {
        var oldest = slots.entrySet().iterator();
        while (slots.size() > most && oldest.hasNext()) {
            Slot s = oldest.next().getValue();
            if (s.program == null) continue;
            gone.add(s.program);
            oldest.remove();
        }
    }

    /** Has a program made again by whoever asks for it next. */
    void drop(Key key) {
        ClusterProgram gone = null;
        synchronized (this) {
            Slot s = slots.get(key);
            if (s != null && s.program != null) {
                slots.remove(key);
                gone = s.program;
            }
        }
        if (gone != null) gone.deregister();
    }

    /** How many programs were made so far. */
    synchronized long made() {
        return made;
    }

    synchronized int size() {
        return slots.size();
    }

    /** Forgets all; the workers forget theirs with the session. */
    synchronized void close() {
        closed = true;
        slots.clear();
    }
}
