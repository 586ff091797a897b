package dev.oxbow.observe.report;

import dev.oxbow.observe.diagnosis.Scaling;
import dev.oxbow.observe.diagnosis.Shares;
import dev.oxbow.observe.diagnosis.Timeline;
import dev.oxbow.observe.report.Pen.Anchor;
import dev.oxbow.observe.run.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The pictures of a report, each drawn with its upper left corner at the origin. */
final class Figures {
    /** Sizes of curves, and of what is as wide as the page. */
    static final double WIDTH = 440, HEIGHT = 180, LONG = 900, SHARES = 40;

    private static final String[] KINDS = {"#2f7dd1", "#d97706", "#c0392b"};
    private static final String LINE = "#0f766e", IDEAL = "#9aa7b4", PLANNED = "#d97706", GRID = "#dde3e9";
    private static final double LEFT = 52, BOTTOM = 20, TOP = 10, BAND = 22, NAMES = 74;

    private Figures() {}

    private static String form(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }

    /** Where numbers lie in a picture. */
    private record Axes(double x0, double x1, double y0, double y1) {
        double x(double v) {
            return LEFT + (WIDTH - LEFT - 8) * (v - x0) / (x1 - x0);
        }

        double y(double v) {
            return TOP + (1 - (v - y0) / (y1 - y0)) * (HEIGHT - BOTTOM - TOP);
        }

        void draw(Pen pen) {
            for (double v : new double[] {y0, (y0 + y1) / 2, y1}) {
                pen.line(new double[] {LEFT, y(v), WIDTH - 8, y(v)}, GRID, 1);
                pen.text(LEFT - 6, y(v) + 3.5, 10, Anchor.END, false, form("%.4g", v));
            }
        }
    }

    /** A curve with the band between its least and largest values. */
    static void curve(Pen pen, List<Series.Point> all) {
        List<Series.Point> points =
                all.stream().filter(p -> Double.isFinite(p.mean())).toList();
        if (points.isEmpty()) {
            pen.text(LEFT, 40, 11, Anchor.START, false, "nothing");
            return;
        }
        double[] sorted =
                points.stream().mapToDouble(Series.Point::mean).sorted().toArray();
        double first = sorted[sorted.length / 100], last = sorted[sorted.length - 1 - sorted.length / 50];
        double low = Math.max(sorted[0], first - 0.6 * (last - first)); // a few outliers must not flatten the rest
        double high = Math.min(sorted[sorted.length - 1], last + 0.6 * (last - first));
        if (high - low < 1e-12) high = low + Math.max(1e-9, Math.abs(low) * 0.1);
        long from = points.getFirst().step(),
                to = Math.max(from + 1, points.getLast().step());
        Axes a = new Axes(from, to, low, high);
        a.draw(pen);
        int n = points.size();
        double[] line = new double[2 * n], band = new double[4 * n];
        for (int i = 0; i < n; i++) {
            Series.Point p = points.get(i);
            int back = 4 * n - 2 * i - 2;
            line[2 * i] = band[2 * i] = band[back] = a.x(p.step());
            line[2 * i + 1] = a.y(Math.clamp(p.mean(), low, high));
            band[2 * i + 1] = a.y(Math.clamp(p.largest(), low, high));
            band[back + 1] = a.y(Math.clamp(p.least(), low, high));
        }
        pen.area(band, LINE, 0.18);
        pen.line(line, LINE, 1.5);
        pen.text(LEFT, HEIGHT - 4, 10, Anchor.START, false, "step " + from);
        pen.text(WIDTH - 8, HEIGHT - 4, 10, Anchor.END, false, Long.toString(to));
    }

    /** Examples a second against workers: as measured, as the planner says, and as it would be if exchanges cost nothing. */
    static void scaling(Pen pen, Scaling s) {
        double most = 1, high = 1e-9;
        for (List<Scaling.Point> line : List.of(s.measured(), s.planned(), s.ideal())) {
            for (Scaling.Point p : line) {
                most = Math.max(most, p.workers());
                high = Math.max(high, p.rate());
            }
        }
        Axes a = new Axes(0, most * 1.05, 0, high);
        a.draw(pen);
        pen.line(points(a, s.ideal()), IDEAL, 1);
        pen.line(points(a, s.planned()), PLANNED, 1.5);
        for (Scaling.Point p : s.planned())
            pen.text(a.x(p.workers()), HEIGHT - 4, 10, Anchor.MIDDLE, false, Long.toString(p.workers()));
        for (Scaling.Point p : s.measured())
            pen.box(
                    a.x(p.workers()) - 4,
                    a.y(p.rate()) - 4,
                    8,
                    8,
                    LINE,
                    form("%s: %d workers, %.4g examples a second", p.run(), p.workers(), p.rate()));
        pen.text(LEFT + 6, TOP + 12, 10, Anchor.START, false, "examples a second by workers");
        pen.text(LEFT + 6, TOP + 25, 10, Anchor.START, false, "squares: measured, orange: planner, grey: ideal");
    }

    private static double[] points(Axes a, List<Scaling.Point> line) {
        List<Double> out = new ArrayList<>();
        for (Scaling.Point p : line) {
            out.add(a.x(p.workers()));
            out.add(a.y(p.rate()));
        }
        return out.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** Where the time of a worker's step goes, as a bar. */
    static void shares(Pen pen, Shares s) {
        double[] parts = {s.compute(), s.exchange() - s.hidden(), s.waiting(), s.input()};
        String[] names = {"compute", "exchange", "waiting for others", "input"};
        String[] colours = {KINDS[0], KINDS[1], KINDS[2], "#8b5cf6"};
        double all = s.step();
        for (double p : parts) all = Math.max(all, p);
        pen.box(0, 16, LONG, 18, IDEAL, "");
        StringBuilder words = new StringBuilder(form("%s: %.3f ms a step", s.worker(), s.step()));
        double x = 0;
        for (int i = 0; i < parts.length; i++) {
            double w = Math.max(0, Math.min(LONG - x, LONG * parts[i] / all));
            pen.box(x, 16, w, 18, colours[i], names[i]);
            x += w;
            words.append(form(", %s %.0f %%", names[i], 100 * parts[i] / s.step()));
        }
        pen.text(0, 11, 11, Anchor.START, false, words.toString());
    }

    static double timelineHeight(Timeline t) {
        return 20 + t.workers().size() * (2 * BAND + 10);
    }

    /** A band for each worker, kernels above exchanges. */
    static void timeline(Pen pen, Timeline t) {
        long end = Math.max(
                1, t.workers().stream().mapToLong(Timeline.Worker::end).max().orElse(1));
        double y = 18, room = LONG - NAMES - 4;
        for (Timeline.Worker w : t.workers()) {
            pen.text(0, y + 14, 11, Anchor.START, true, w.name());
            for (Timeline.Span span : w.spans()) {
                double row = span.kind() == Timeline.Kind.COMPUTE ? 0 : BAND;
                pen.box(
                        NAMES + room * span.from() / end,
                        y + row,
                        Math.max(0.4, room * span.length() / end),
                        BAND - 2,
                        KINDS[span.kind().ordinal()],
                        form("%s %s %.3f ms %s", span.op(), span.name(), span.length() / 1e6, span.origin()));
            }
            y += 2 * BAND + 10;
        }
        pen.text(
                NAMES,
                11,
                11,
                Anchor.START,
                false,
                form("%.3f ms; blue: kernels, orange: exchange, red: waiting for others", end / 1e6));
    }
}
