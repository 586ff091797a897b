package dev.oxbow.runtime.run;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Programs by what they are for. Each is made once, however many threads want it first, and the one that was not used for
 * the longest time goes when there are too many.
 */
final class KeptPrograms<K> {
    private final int most;
    private final ConcurrentHashMap<K, Slot> slots = new ConcurrentHashMap<>();
    private final AtomicLong uses = new AtomicLong();

    private static final class Slot {
        volatile Program program;
        volatile long lastUse;
    }

    KeptPrograms(int most) {
        this.most = most;
    }

    /** The program for a key, made by {@code maker} unless there is one for what the services of the session are now. */
    Program get(K key, Supplier<Program> maker) {
        while (true) {
            Slot s = slots.computeIfAbsent(key, k -> new Slot());
            s.lastUse = uses.incrementAndGet();
            Program p = s.program;
            if (p != null && p.turns().areCurrent()) return p;
            synchronized (s) {
                if (slots.get(key) != s) continue; // its maker failed, or it went, while this thread waited
                p = s.program;
                if (p != null && p.turns().areCurrent()) return p;
                if (p != null) p.close();
                s.program = null;
                try {
                    s.program = p = maker.get();
                } finally {
                    if (s.program == null) slots.remove(key, s);
                }
            }
            if (slots.size() > most) dropOldest(s);
            return p;
        }
    }

    private void dropOldest(Slot but) {
        K oldest = null;
        long when = Long.MAX_VALUE;
        for (var e : slots.entrySet()) {
            if (e.getValue() == but || e.getValue().program == null || e.getValue().lastUse >= when) continue;
            oldest = e.getKey();
            when = e.getValue().lastUse;
        }
        Slot gone = oldest == null ? null : slots.remove(oldest);
        if (gone != null && gone.program != null) gone.program.close();
    }

    int size() {
        return slots.size();
    }

    void forEach(Consumer<Program> action) {
        for (Slot s : slots.values()) {
            Program p = s.program;
            if (p != null) action.accept(p);
        }
    }
}
