package dev.oxbow.wire.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Who waited for whom in a step: for values that were not made yet, and for those on their way. */
public final class Waits {

    /**
     * What one device waited for another. Waits overlap, so their sum may be longer than the step.
     *
     * @param unmade nanoseconds before the values were handed out
     * @param moving nanoseconds from there until they had come
     * @param longest the value that was waited for longest
     */
    public record Pair(
            String who, String whom, int values, long bytes, long unmade, long moving, String longest, long most) {}

    private Waits() {}

    /** All pairs, those first who waited longest. */
    public static List<Pair> of(List<Span> spans) {
        Map<String, Long> sent = new HashMap<>();
        for (Span s : spans) if (s.kind() == Span.Kind.SEND) sent.put(s.key(), s.from());
        Map<String, List<Span>> pairs = new TreeMap<>();
        for (Span s : spans)
            if (s.kind() == Span.Kind.RECEIVE)
                pairs.computeIfAbsent(s.device() + ";" + s.peer(), _ -> new ArrayList<>())
                        .add(s);
        return pairs.values().stream()
                .map(p -> pair(p, sent))
                .sorted(Comparator.comparingLong((Pair p) -> p.unmade + p.moving)
                        .reversed())
                .toList();
    }

    private static Pair pair(List<Span> received, Map<String, Long> sent) {
        long bytes = 0, unmade = 0, moving = 0;
        Span longest = received.getFirst();
        for (Span s : received) {
            bytes += s.bytes();
            // what nobody saw being sent, as of a task of TensorFlow, counts as not made
            long made = Math.clamp(sent.getOrDefault(s.key(), s.to()), s.from(), s.to());
            unmade += made - s.from();
            moving += s.to() - made;
            if (s.length() > longest.length()) longest = s;
        }
        Span first = received.getFirst();
        return new Pair(
                first.device(),
                first.peer(),
                received.size(),
                bytes,
                unmade,
                moving,
                longest.tensor(),
                longest.length());
    }
}
