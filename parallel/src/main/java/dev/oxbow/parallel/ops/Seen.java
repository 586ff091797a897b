package dev.oxbow.parallel.ops;

import java.util.TreeMap;

/** The steps of one worker that have come. */
final class Seen {
    private long missing;
    private final TreeMap<Long, Boolean> beyond = new TreeMap<>();

    /** The first step that is missing. */
    long missing() {
        return missing;
    }

    /** Adds a step; false where it has come before. */
    boolean add(long step) {
        if (step < missing || beyond.putIfAbsent(step, true) != null) return false;
        while (beyond.remove(missing) != null) missing++;
        return true;
    }

    /** Steps before this one are not to come any more. */
    void skip(long to) {
        if (to <= missing) return;
        missing = to;
        beyond.headMap(to).clear();
        while (beyond.remove(missing) != null) missing++;
    }

    boolean has(long step) {
        return step < missing || beyond.containsKey(step);
    }
}
