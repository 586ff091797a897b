package dev.oxbow.observe.dashboard;

import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.Runs;
import dev.oxbow.observe.run.WorkerLog;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Figures of all runs in the text form of Prometheus. */
final class Metrics {
    private static final int RECENT = 50;

    private final Runs runs;

    Metrics(Runs runs) {
        this.runs = runs;
    }

    String text(long requests, long refused) {
        StringBuilder s = new StringBuilder();
        double now = System.currentTimeMillis() / 1000.0;
        List<Run> all = runs.all();
        each(s, all, "oxbow_step", "gauge", "The newest step.", w -> w.step());
        each(s, all, "oxbow_loss", "gauge", "The newest loss.", w -> w.last("train/loss"));
        each(
                s,
                all,
                "oxbow_step_seconds",
                "gauge",
                "Mean time of recent steps.",
                w -> w.recent("time/step_ms", RECENT) / 1e3);
        each(
                s,
                all,
                "oxbow_input_seconds",
                "gauge",
                "Mean time that recent steps waited for input.",
                w -> w.recent("time/input_ms", RECENT) / 1e3);
        each(s, all, "oxbow_examples_per_second", "gauge", "Of recent steps.", WorkerLog::examplesPerSecond);
        each(s, all, "oxbow_memory_bytes", "gauge", "Resident memory.", w -> w.last("health/memory_bytes"));
        each(s, all, "oxbow_heap_bytes", "gauge", "Java heap in use.", w -> w.last("health/heap_bytes"));
        each(
                s,
                all,
                "oxbow_lost_events_total",
                "counter",
                "Events that a reader was too slow for.",
                w -> w.last("health/lost_events"));
        each(
                s,
                all,
                "oxbow_up",
                "gauge",
                "1 while the process is heard of.",
                w -> Run.state(w, now) == Run.State.RUNNING ? 1 : 0);
        head(s, "oxbow_dashboard_requests_total", "counter", "Requests to this server.");
        s.append("oxbow_dashboard_requests_total ").append(requests).append('\n');
        head(s, "oxbow_dashboard_refused_total", "counter", "Requests that were refused.");
        s.append("oxbow_dashboard_refused_total ").append(refused).append('\n');
        return s.toString();
    }

    private static void head(StringBuilder s, String name, String type, String help) {
        s.append("# HELP ").append(name).append(' ').append(help).append('\n');
        s.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private static void each(
            StringBuilder s, List<Run> all, String name, String type, String help, ToDoubleFunction<WorkerLog> value) {
        head(s, name, type, help);
        for (Run r : all) {
            for (WorkerLog w : r.workers()) {
                double v = value.applyAsDouble(w);
                if (Double.isNaN(v)) continue;
                s.append(String.format(
                        Locale.ROOT, "%s{run=\"%s\",worker=\"%s\"} %s%n", name, escaped(r.name()), w.name(), v));
            }
        }
    }

    private static String escaped(String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
