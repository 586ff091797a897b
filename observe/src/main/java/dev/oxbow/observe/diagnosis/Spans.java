package dev.oxbow.observe.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** Times that are covered by something, as intervals that do not meet. */
record Spans(List<long[]> parts) {

    static Spans of(List<Timeline.Span> all, Predicate<Timeline.Span> which) {
        List<long[]> sorted = new ArrayList<>();
        for (Timeline.Span s : all) if (which.test(s)) sorted.add(new long[] {s.from(), s.to()});
        sorted.sort(Comparator.comparingLong(p -> p[0]));
        List<long[]> parts = new ArrayList<>();
        for (long[] p : sorted) {
            if (!parts.isEmpty() && p[0] <= parts.getLast()[1]) parts.getLast()[1] = Math.max(parts.getLast()[1], p[1]);
            else parts.add(p.clone());
        }
        return new Spans(parts);
    }

    long length() {
        long sum = 0;
        for (long[] p : parts) sum += p[1] - p[0];
        return sum;
    }

    /** How much of it is covered by the other as well. */
    long within(Spans other) {
        long sum = 0;
        int j = 0;
        for (long[] p : parts) {
            while (j > 0 && other.parts.get(Math.min(j, other.parts.size() - 1))[0] > p[0]) j--;
            for (int k = j; k < other.parts.size() && other.parts.get(k)[0] < p[1]; k++) {
                long[] o = other.parts.get(k);
                sum += Math.max(0, Math.min(p[1], o[1]) - Math.max(p[0], o[0]));
                j = k;
            }
        }
        return sum;
    }
}
