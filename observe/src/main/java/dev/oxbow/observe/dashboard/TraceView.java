package dev.oxbow.observe.dashboard;

import com.google.gson.stream.JsonWriter;
import dev.oxbow.observe.diagnosis.Timeline;
import dev.oxbow.observe.run.Run;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;

/** A step's timeline as JSON: times in microseconds since its first span. */
final class TraceView {
    private static final int MOST = 20_000;

    private TraceView() {}

    static void write(JsonWriter out, Run run, Query q) throws IOException {
        long step = q.number("step", Timeline.newest(run), -1, Long.MAX_VALUE);
        out.beginObject().name("step").value(step).name("steps").beginArray();
        for (long s : Timeline.steps(run).keySet()) out.value(s);
        out.endArray().name("workers").beginArray();
        for (Timeline.Worker w : Timeline.of(run, step).workers()) {
            out.beginObject().name("name").value(w.name());
            out.name("left")
                    .value(Math.max(0, w.spans().size() - MOST))
                    .name("spans")
                    .beginArray();
            for (Timeline.Span s : longest(w.spans())) {
                out.beginArray();
                out.value(s.from() / 1e3).value(s.length() / 1e3);
                out.value(s.kind().ordinal()).value(s.name()).value(s.op()).value(s.nodes());
                out.value(s.origin()).value(s.device());
                out.endArray();
            }
            out.endArray().endObject();
        }
        out.endArray().endObject();
    }

    private static List<Timeline.Span> longest(List<Timeline.Span> all) {
        if (all.size() <= MOST) return all;
        return all.stream()
                .sorted(Comparator.comparingLong(Timeline.Span::length).reversed())
                .limit(MOST)
                .sorted(Comparator.comparingLong(Timeline.Span::from))
                .toList();
    }
}
