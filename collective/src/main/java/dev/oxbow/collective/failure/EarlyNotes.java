package dev.oxbow.collective.failure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Notes about groups that this rank does not know yet, within a bound: those of the oldest group give way to new ones. */
public final class EarlyNotes {
    private static final int OVERHEAD = 128;

    /** A note that came before its group; {@code bytes} is what it counts. */
    public record Early(int from, Note note, int bytes) {}

    private final long bound;
    private final Map<Long, List<Early>> byGroup = new LinkedHashMap<>();
    private long held;

    public EarlyNotes(long bound) {
        this.bound = bound;
    }

    /** Keeps a note of so many bytes; how many others were dropped for it. */
    public int keep(int from, Note note, int length) {
        Early kept = new Early(from, note, length + OVERHEAD);
        byGroup.computeIfAbsent(note.group(), _ -> new ArrayList<>(4)).add(kept);
        held += kept.bytes;
        int dropped = 0;
        while (held > bound) dropped += take(byGroup.keySet().iterator().next()).size();
        return dropped;
    }

    /** The notes for a group, in the order in which they came; they are not kept any longer. */
    public List<Early> take(long group) {
        List<Early> notes = byGroup.remove(group);
        if (notes == null) return List.of();
        for (Early e : notes) held -= e.bytes;
        return notes;
    }

    long held() {
        return held;
    }
}
