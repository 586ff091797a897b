package dev.oxbow.collective;

import java.util.HashMap;
import java.util.Map;

/**
 * How often each name has been called in a group, which is what tells one call of a name from the next. Ranks must count
 * alike, so no name is forgotten while the group lives; instead there is a limit to them.
 */
final class Occurrences {
    private final int limit;
    private final Map<String, Long> counts = new HashMap<>();

    Occurrences(int limit) {
        this.limit = limit;
    }

    /** The number of this call among those of its name, from 0, or -1 when there are too many names. */
    long next(String name) {
        if (counts.size() >= limit && !counts.containsKey(name)) return -1;
        return counts.merge(name, 1L, Long::sum) - 1;
    }

    void clear() {
        counts.clear();
    }
}
