package dev.oxbow.parallel.ops;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The workers of a gate: which steps of each have come, and which of them are there. */
final class Roll {
    private final Map<Long, Seen> seen = new HashMap<>();
    /** Workers that have left. */
    private final Set<Long> left = new HashSet<>();
    /** By worker, which of those that came in its place came last. */
    private final Map<Long, Long> lives = new HashMap<>();

    /** The steps of a worker. */
    Seen of(long worker) {
        return seen.computeIfAbsent(worker, _ -> new Seen());
    }

    /** The first step that a worker has not pushed. */
    long missing(long worker) {
        Seen s = seen.get(worker);
        return s == null ? 0 : s.missing();
    }

    /** How many workers were ever there. */
    int size() {
        return seen.size();
    }

    /** Whether all that are there have pushed so many steps. */
    boolean haveAll(long steps) {
        return members().allMatch(s -> s.missing() >= steps);
    }

    /** Adds those that hold the furthest back, which may be so many steps ahead; the first so many workers are to come. */
    void addSlower(long ahead, int workers, Set<Long> to) {
        long furthest = members().mapToLong(Seen::missing).max().orElse(0);
        if (furthest <= ahead) return;
        seen.forEach((w, s) -> {
            if (!left.contains(w) && s.missing() < furthest - ahead) to.add(w);
        });
        for (long w = 0; w < workers; w++) if (!seen.containsKey(w)) to.add(w);
    }

    void join(long worker, long life, long first) {
        lives.merge(worker, life, Math::max);
        boolean knew = seen.containsKey(worker) && !left.contains(worker);
        left.remove(worker);
        of(worker).skip(first);
        if (knew) return;
        long slowest = members()
                .filter(s -> s != seen.get(worker))
                .mapToLong(Seen::missing)
                .min()
                .orElse(0);
        of(worker).skip(slowest);
    }

    /** A life of a worker is over; where another has begun it stays. */
    void leave(long worker, long life) {
        if (lives.getOrDefault(worker, life) <= life) left.add(worker);
    }

    private Stream<Seen> members() {
        return seen.entrySet().stream().filter(e -> !left.contains(e.getKey())).map(Map.Entry::getValue);
    }

    /** What is told of each worker: its number, its first missing step, the last run that has counted, its life, whether it is there. */
    private static final int EACH = 5;

    /** These numbers, and for each worker its own. */
    long[] exported(Map<Long, Long> committed, long... first) {
        Set<Long> all = new TreeSet<>(seen.keySet());
        all.addAll(left);
        long[] told = Arrays.copyOf(first, first.length + EACH * all.size());
        int at = first.length;
        for (long worker : all) {
            told[at++] = worker;
            told[at++] = missing(worker);
            told[at++] = committed.getOrDefault(worker, -1L);
            told[at++] = lives.getOrDefault(worker, -1L);
            told[at++] = left.contains(worker) ? 0 : 1;
        }
        return told;
    }

    /** Takes over what another has told; who is there and who has left stays where it is known here. */
    void imported(Map<Long, Long> committed, long[] all, int from) {
        for (int i = from; i + EACH <= all.length; i += EACH) {
            long worker = all[i];
            boolean isKnown = lives.containsKey(worker) || left.contains(worker);
            if (all[i + 4] == 1 || seen.containsKey(worker) || all[i + 1] > 0)
                of(worker).skip(all[i + 1]);
            if (all[i + 2] >= 0) committed.put(worker, all[i + 2]);
            if (all[i + 3] >= 0) lives.merge(worker, all[i + 3], Math::max);
            if (all[i + 4] == 0 && !isKnown) left.add(worker);
        }
    }
}
