package dev.oxbow.observe.diagnosis;

import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.Series;
import dev.oxbow.observe.run.WorkerLog;
import dev.oxbow.parallel.planner.Estimate;
import dev.oxbow.parallel.planner.Way;
import java.io.IOException;
import java.util.List;

/**
 * What the planner expects of a run, as its first worker has told it. Times are milliseconds; what is not known is NaN.
 *
 * @param step how long one should take
 * @param compute how long kernels take of it
 * @param exchange of all gradients by itself, as long as nothing hides it
 * @param bytes of the gradients of one step, on the wire
 * @param rate bytes a second of a link
 * @param latency of a message
 */
public record Planned(
        long workers, double step, double compute, double exchange, double bytes, double rate, double latency) {
    /** The tags under which a run has them. */
    public static final String STEP = "planner/step_ms",
            COMPUTE = "planner/compute_ms",
            EXCHANGE = "planner/exchange_ms",
            BYTES = "planner/gradient_bytes",
            RATE = "planner/link_bytes_per_second",
            LATENCY = "planner/link_latency_ms";

    private static final int RECENT = 9;

    /** Links of 10 Gbit/s, which are supposed where none were measured. */
    private static final double SUPPOSED_RATE = 1.25e9, SUPPOSED_LATENCY = 0.03;

    /** In the median of the newest steps that were traced: a single one may have been disturbed. */
    public static Planned of(Run run) throws IOException {
        WorkerLog w = run.first();
        return new Planned(
                run.workers().size(),
                median(w, STEP),
                median(w, COMPUTE),
                median(w, EXCHANGE),
                median(w, BYTES),
                median(w, RATE),
                median(w, LATENCY));
    }

    private static double median(WorkerLog w, String tag) throws IOException {
        List<Series.Point> all = w.points(tag, 0, Long.MAX_VALUE, Series.MOST);
        double[] newest = all.subList(Math.max(0, all.size() - RECENT), all.size()).stream()
                .mapToDouble(Series.Point::mean)
                .sorted()
                .toArray();
        return newest.length == 0 ? Double.NaN : newest[newest.length / 2];
    }

    /** Whether it is known how long a step should take. */
    public boolean isKnown() {
        return step > 0 && compute > 0 && bytes > 0;
    }

    /** Whether links were measured, and not only supposed. */
    boolean hasLinks() {
        return rate > 0;
    }

    /** How long a step of so many workers should take, each with the rows that it has now. */
    double step(long n) {
        Estimate e = new Estimate(
                Way.RING,
                bytes,
                compute / 1e3,
                n,
                hasLinks() ? rate : SUPPOSED_RATE,
                (hasLinks() ? latency : SUPPOSED_LATENCY) / 1e3,
                0,
                false);
        double exposed = exchange > 0 ? Math.clamp((step - compute) / exchange, 0, 1) : 1;
        return compute + exposed * 1e3 * e.exchange();
    }

    /** How many times the rows a second twice the workers should bring. */
    double doubled() {
        return 2 * step(workers) / step(2 * workers);
    }
}
