package dev.oxbow.observe.report;

import dev.oxbow.observe.diagnosis.Diagnosis;
import dev.oxbow.observe.diagnosis.Scaling;
import dev.oxbow.observe.diagnosis.Timeline;
import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.Series;
import dev.oxbow.observe.run.WorkerLog;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What a report of a run tells, whatever it looks like. */
record Contents(
        String title,
        String subtitle,
        Diagnosis diagnosis,
        Map<String, List<Series.Point>> curves,
        Scaling scaling,
        Timeline timeline,
        List<List<String>> workers,
        List<List<String>> settings) {
    static final List<String> WORKER =
            List.of("worker", "state", "step", "ms a step", "ms of input", "examples/s", "memory", "events lost");
    static final List<String> SETTING = List.of("setting", "value");
    private static final int POINTS = 400, CURVES = 12, RECENT = 50;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'").withZone(ZoneOffset.UTC);

    static Contents of(Run run, List<Run> others) throws IOException {
        WorkerLog first = run.first();
        double now = System.currentTimeMillis() / 1000.0;
        int count = run.workers().size();
        Map<String, List<Series.Point>> curves = new LinkedHashMap<>();
        for (String tag : first.scalars())
            if (!tag.startsWith("health/") && !tag.startsWith("planner/") && curves.size() < CURVES)
                curves.put(tag, first.points(tag, 0, Long.MAX_VALUE, POINTS));
        long step = Timeline.newest(run);
        return new Contents(
                run.name(),
                "%s, step %d, %s, begun %s"
                        .formatted(
                                run.state(now).name().toLowerCase(Locale.ROOT),
                                first.step(),
                                count == 1 ? "one worker" : count + " workers",
                                time(first.began())),
                Diagnosis.of(run),
                curves,
                Scaling.of(run, others),
                step < 0 ? null : Timeline.of(run, step),
                run.workers().stream().map(w -> row(w, now)).toList(),
                new TreeMap<>(first.settings())
                        .entrySet().stream()
                                .map(e -> List.of(e.getKey(), e.getValue()))
                                .toList());
    }

    private static String time(double seconds) {
        return Double.isNaN(seconds) ? "never" : TIME.format(Instant.ofEpochMilli((long) (1000 * seconds)));
    }

    private static List<String> row(WorkerLog w, double now) {
        return List.of(
                w.name(),
                Run.state(w, now).name().toLowerCase(Locale.ROOT),
                Long.toString(w.step()),
                number(w.recent("time/step_ms", RECENT)),
                number(w.recent("time/input_ms", RECENT)),
                number(w.examplesPerSecond()),
                number(w.last("health/memory_bytes") / 1e6) + " MB",
                number(w.last("health/lost_events")));
    }

    private static String number(double v) {
        return Double.isNaN(v) ? "-" : String.format(Locale.ROOT, Math.abs(v) >= 100 ? "%.0f" : "%.3f", v);
    }
}
