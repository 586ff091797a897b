package dev.oxbow.observe.report;

import dev.oxbow.observe.diagnosis.Shares;
import dev.oxbow.observe.diagnosis.Timeline;
import dev.oxbow.observe.run.Series;
import java.util.List;
import java.util.Locale;

/** Pictures of a report. */
final class Svg {
    private static final String[] KINDS = {"#2f7dd1", "#d97706", "#c0392b"};
    private static final int WIDTH = 360, HEIGHT = 170, LEFT = 46, BOTTOM = 18, LONG = 900, BAND = 22;

    private Svg() {}

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    private static String form(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }

    /** A curve with the band between its least and largest values. */
    static String curve(List<Series.Point> all) {
        List<Series.Point> points =
                all.stream().filter(p -> Double.isFinite(p.mean())).toList();
        StringBuilder s = new StringBuilder(form("<svg viewBox=\"0 0 %d %d\" role=\"img\">", WIDTH, HEIGHT));
        if (points.isEmpty()) return s + "<text x=\"46\" y=\"40\" font-size=\"11\">nothing</text></svg>";
        double low = points.stream().mapToDouble(Series.Point::mean).min().orElse(0);
        double high = points.stream().mapToDouble(Series.Point::mean).max().orElse(1);
        if (high - low < 1e-12) high = low + Math.max(1e-9, Math.abs(low) * 0.1);
        long from = points.getFirst().step(),
                to = Math.max(from + 1, points.getLast().step());
        StringBuilder line = new StringBuilder(), band = new StringBuilder(), back = new StringBuilder();
        for (Series.Point p : points) {
            double x = LEFT + (WIDTH - LEFT - 4) * (double) (p.step() - from) / (to - from);
            line.append(form("%.1f,%.1f ", x, y(p.mean(), low, high)));
            band.append(form("%.1f,%.1f ", x, y(Math.min(high, p.largest()), low, high)));
            back.insert(0, form("%.1f,%.1f ", x, y(Math.max(low, p.least()), low, high)));
        }
        s.append(form("<polygon points=\"%s%s\" fill=\"#0f766e\" opacity=\".18\"/>", band, back));
        s.append(form("<polyline points=\"%s\" fill=\"none\" stroke=\"#0f766e\" stroke-width=\"1.5\"/>", line));
        for (double v : new double[] {low, (low + high) / 2, high})
            s.append(form(
                    "<text x=\"%d\" y=\"%.1f\" font-size=\"10\" text-anchor=\"end\">%.4g</text>",
                    LEFT - 5, y(v, low, high) + 3, v));
        s.append(form("<text x=\"%d\" y=\"%d\" font-size=\"10\">%d</text>", LEFT, HEIGHT - 3, from));
        s.append(form(
                "<text x=\"%d\" y=\"%d\" font-size=\"10\" text-anchor=\"end\">%d</text>", WIDTH - 4, HEIGHT - 3, to));
        return s.append("</svg>").toString();
    }

    private static double y(double v, double low, double high) {
        return 8 + (1 - (v - low) / (high - low)) * (HEIGHT - BOTTOM - 12);
    }

    /** Where the time of a worker's step goes, as a bar. */
    static String shares(Shares s) {
        double[] parts = {s.compute(), s.exchange() - s.hidden(), s.waiting(), s.input()};
        String[] names = {"compute", "exchange", "waiting for others", "input"};
        String[] colours = {KINDS[0], KINDS[1], KINDS[2], "#8b5cf6"};
        double all = s.step();
        for (double p : parts) all = Math.max(all, p);
        StringBuilder out = new StringBuilder(form("<svg viewBox=\"0 0 %d 40\" role=\"img\">", LONG));
        out.append(form("<rect y=\"16\" width=\"%d\" height=\"18\" fill=\"#9aa7b4\" rx=\"4\"/>", LONG));
        StringBuilder words = new StringBuilder(form("%s: %.3f ms a step", escaped(s.worker()), s.step()));
        double x = 0;
        for (int i = 0; i < parts.length; i++) {
            double w = Math.max(0, Math.min(LONG - x, LONG * parts[i] / all));
            out.append(form("<rect x=\"%.1f\" y=\"16\" width=\"%.1f\" height=\"18\" fill=\"%s\"/>", x, w, colours[i]));
            x += w;
            words.append(form(", %s %.0f %%", names[i], 100 * parts[i] / s.step()));
        }
        return out.append(form("<text y=\"11\" font-size=\"11\">%s</text></svg>", words))
                .toString();
    }

    /** A band for each worker, kernels above exchanges. */
    static String timeline(Timeline t) {
        long end = Math.max(
                1, t.workers().stream().mapToLong(Timeline.Worker::end).max().orElse(1));
        int height = 20 + t.workers().size() * (2 * BAND + 10);
        StringBuilder s = new StringBuilder(form("<svg viewBox=\"0 0 %d %d\" role=\"img\">", LONG, height));
        int y = 16;
        for (Timeline.Worker w : t.workers()) {
            s.append(form("<text y=\"%d\" font-size=\"11\">%s</text>", y + 14, escaped(w.name())));
            for (Timeline.Span span : w.spans()) {
                double x = 70 + (LONG - 74.0) * span.from() / end, width = (LONG - 74.0) * span.length() / end;
                int row = span.kind() == Timeline.Kind.COMPUTE ? 0 : 1;
                s.append(form(
                        "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>%s</title></rect>",
                        x,
                        y + row * BAND,
                        Math.max(0.4, width),
                        BAND - 2,
                        KINDS[span.kind().ordinal()],
                        escaped("%s %s %.3f ms".formatted(span.op(), span.name(), span.length() / 1e6))));
            }
            y += 2 * BAND + 10;
        }
        return s.append(form(
                        "<text x=\"70\" y=\"11\" font-size=\"11\">%.3f ms; blue: kernels, orange: exchange, red:"
                                + " waiting for others</text></svg>",
                        end / 1e6))
                .toString();
    }
}
