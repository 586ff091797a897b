package dev.oxbow.wire.trace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/** Spreads spans over as few tracks as it takes for those of each track to nest: each lies within another or beside it. */
final class Lanes {
    private final List<Deque<Span>> open = new ArrayList<>();

    private Lanes() {}

    /** The track of each span, which are put in the order of their starts, longer ones first. */
    static int[] of(List<Span> spans) {
        spans.sort(Comparator.comparingLong(Span::from)
                .thenComparing(Comparator.comparingLong(Span::length).reversed()));
        Lanes l = new Lanes();
        return spans.stream().mapToInt(l::lane).toArray();
    }

    private int lane(Span s) {
        for (int i = 0; i < open.size(); i++) {
            Deque<Span> here = open.get(i);
            while (!here.isEmpty() && here.peek().to() <= s.from()) here.pop();
            if (!here.isEmpty() && here.peek().to() < s.to()) continue;
            here.push(s);
            return i;
        }
        open.add(new ArrayDeque<>(List.of(s)));
        return open.size() - 1;
    }
}
