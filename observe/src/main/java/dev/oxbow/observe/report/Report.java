package dev.oxbow.observe.report;

import dev.oxbow.observe.diagnosis.Diagnosis;
import dev.oxbow.observe.diagnosis.Shares;
import dev.oxbow.observe.diagnosis.Timeline;
import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.Series;
import dev.oxbow.observe.run.WorkerLog;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Writes a run down as one HTML file, with pictures in it: what held it up, curves, a timeline, workers, settings. */
public final class Report {
    private static final int POINTS = 400, CURVES = 12;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'").withZone(ZoneOffset.UTC);
    private static final String STYLE = """
            body { font: 14px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #17212b; background: #fff; }
            h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin-top: 2rem; } .quiet { color: #5b6875; }
            .curves { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1rem; }
            figure { margin: 0; border: 1px solid #dde3e9; border-radius: 8px; padding: .6rem; } svg { width: 100%; height: auto; display: block; }
            figcaption { font-weight: 600; overflow-wrap: anywhere; } table { border-collapse: collapse; } td, th { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #dde3e9; }
            @media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #0e141b; } figure, td, th { border-color: #2a3542; } .quiet { color: #93a1b0; } text { fill: #93a1b0; } }
            """;

    private final StringBuilder out = new StringBuilder();

    private Report() {}

    /** The page of a run. */
    public static String html(Run run) throws IOException {
        Report r = new Report();
        r.page(run);
        return r.out.toString();
    }

    private void page(Run run) throws IOException {
        WorkerLog first = run.first();
        double now = System.currentTimeMillis() / 1000.0;
        out.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
                .append(Svg.escaped(run.name()))
                .append("</title><meta name=\"viewport\" content=\"width=device-width\"><style>\n")
                .append(STYLE)
                .append("</style></head><body>\n");
        text("<h1>%s</h1>", run.name());
        text(
                "<p class=\"quiet\">%s</p>",
                "%s, step %d, %s, begun %s"
                        .formatted(
                                run.state(now).name().toLowerCase(Locale.ROOT),
                                first.step(),
                                run.workers().size() == 1
                                        ? "one worker"
                                        : run.workers().size() + " workers",
                                time(first.began())));
        Diagnosis d = Diagnosis.of(run);
        text("<h2>%s</h2>", "What held it up");
        for (String s : d.sentences()) text("<p>%s</p>", s);
        shares(d.shares());
        curves(first);
        timeline(run);
        workers(run, now);
        text("<h2>%s</h2>", "Settings");
        table(
                List.of("setting", "value"),
                new TreeMap<>(first.settings())
                        .entrySet().stream()
                                .map(e -> List.of(e.getKey(), e.getValue()))
                                .toList());
        out.append("</body></html>\n");
    }

    private static String time(double seconds) {
        return Double.isNaN(seconds) ? "never" : TIME.format(Instant.ofEpochMilli((long) (1000 * seconds)));
    }

    /** Adds markup with a text in it, which is escaped. */
    private void text(String markup, String text) {
        out.append(markup.replace("%s", Svg.escaped(text))).append('\n');
    }

    private void shares(List<Shares> all) {
        for (Shares s : all) out.append(Svg.shares(s)).append('\n');
    }

    private void curves(WorkerLog log) throws IOException {
        text("<h2>%s</h2>", "Curves");
        out.append("<div class=\"curves\">\n");
        List<String> tags = log.scalars().stream()
                .filter(t -> !t.startsWith("health/"))
                .limit(CURVES)
                .toList();
        for (String tag : tags) {
            List<Series.Point> points = log.points(tag, 0, Long.MAX_VALUE, POINTS);
            out.append("<figure>");
            text("<figcaption>%s</figcaption>", tag);
            out.append(Svg.curve(points)).append("</figure>\n");
        }
        out.append("</div>\n");
    }

    private void timeline(Run run) throws IOException {
        long step = Timeline.newest(run);
        if (step < 0) return;
        text("<h2>%s</h2>", "Step " + step);
        out.append("<figure>").append(Svg.timeline(Timeline.of(run, step))).append("</figure>\n");
    }

    private void workers(Run run, double now) {
        text("<h2>%s</h2>", "Workers");
        table(
                List.of("worker", "state", "step", "ms a step", "ms of input", "examples/s", "memory", "events lost"),
                run.workers().stream()
                        .map(w -> List.of(
                                w.name(),
                                Run.state(w, now).name().toLowerCase(Locale.ROOT),
                                Long.toString(w.step()),
                                number(w.recent("time/step_ms", POINTS)),
                                number(w.recent("time/input_ms", POINTS)),
                                number(w.recent("rate/examples", POINTS)),
                                number(w.last("health/memory_bytes") / 1e6) + " MB",
                                number(w.last("health/lost_events"))))
                        .toList());
    }

    private static String number(double v) {
        return Double.isNaN(v) ? "-" : String.format(Locale.ROOT, Math.abs(v) >= 100 ? "%.0f" : "%.3f", v);
    }

    private void table(List<String> heads, List<List<String>> rows) {
        out.append("<table><tr>");
        for (String h : heads) text("<th>%s</th>", h);
        out.append("</tr>\n");
        for (List<String> r : rows) {
            out.append("<tr>");
            for (String c : r) text("<td>%s</td>", c);
            out.append("</tr>\n");
        }
        out.append("</table>\n");
    }
}
