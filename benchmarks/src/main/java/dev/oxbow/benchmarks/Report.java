package dev.oxbow.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Rows as a table for people and as JSON for programs. */
final class Report {
    private Report() {}

    /**
     * One line per workload; a cell is the median and, below it, the lowest and highest round. The cell of
     * pairs with another build has their median and quartiles.
     */
    static void table(PrintStream out, List<Row> rows, List<String> systems, Optional<String> other) {
        List<String[]> lines = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("workload", "unit"));
        head.addAll(systems);
        head.addAll(List.of("ratio", "of limit"));
        other.ifPresent(o -> head.add("beside " + o));
        lines.add(head.toArray(String[]::new));
        for (Row r : rows) {
            List<String> medians = new ArrayList<>(List.of(r.name(), r.unit()));
            List<String> spreads = new ArrayList<>(List.of("", ""));
            for (String s : systems) {
                double[] f = r.sorted(s);
                medians.add(f == null ? (failed(r, s) ? "failed" : "-") : number(r.median(s)));
                spreads.add(f == null || f.length < 2 ? "" : number(f[0]) + ".." + number(f[f.length - 1]));
            }
            medians.add(r.ratio() == null ? "-" : String.format(Locale.ROOT, "%.2f", r.ratio()));
            medians.add(r.limitShare() == null ? "-" : String.format(Locale.ROOT, "%.0f %%", 100 * r.limitShare()));
            spreads.addAll(List.of("", ""));
            other.ifPresent(o -> {
                medians.add(r.pairs(o).map(Pairs::ratio).orElse("-"));
                spreads.add(r.pairs(o).map(Pairs::quartiles).orElse(""));
            });
            lines.add(medians.toArray(String[]::new));
            lines.add(spreads.toArray(String[]::new));
        }
        print(out, lines);
        for (Row r : rows)
            r.remarks().forEach((system, why) -> {
                if (failed(r, system)) out.println(r.name() + ", " + system + ": " + why);
            });
    }

    private static boolean failed(Row r, String system) {
        return r.remarks().getOrDefault(system, "").startsWith("failed");
    }

    private static void print(PrintStream out, List<String[]> lines) {
        int[] widths = new int[lines.get(0).length];
        for (String[] line : lines)
            for (int i = 0; i < line.length; i++) widths[i] = Math.max(widths[i], line[i].length());
        for (String[] line : lines) {
            StringBuilder b = new StringBuilder();
            for (int i = 0; i < line.length; i++) {
                String pad = " ".repeat(widths[i] - line[i].length());
                b.append(i < 2 ? line[i] + pad : pad + line[i]).append("  ");
            }
            if (!b.toString().isBlank()) out.println(b.toString().stripTrailing());
        }
    }

    private static String number(double v) {
        if (v >= 1000) return String.format(Locale.ROOT, "%.0f", v);
        return String.format(Locale.ROOT, v >= 100 ? "%.1f" : v >= 1 ? "%.2f" : "%.3f", v);
    }

    /** An array with one object per row; null where something was not measured. */
    static String json(List<Row> rows, Optional<String> other) {
        return rows.stream().map(r -> json(r, other)).collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    private static String json(Row r, Optional<String> other) {
        String peers = r.peers().entrySet().stream()
                .map((Map.Entry<String, Double> e) -> quoted(e.getKey()) + ": " + value(e.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
        return "{\"name\": %s, \"unit\": %s, \"oxbow\": %s, \"peers\": %s, \"ratio\": %s, \"limit_share\": %s, \"build\": %s}"
                .formatted(
                        quoted(r.name()),
                        quoted(r.unit()),
                        value(r.median("oxbow")),
                        peers,
                        value(r.ratio()),
                        value(r.limitShare()),
                        other.flatMap(r::pairs).map(Pairs::json).orElse("null"));
    }

    static String quoted(String s) {
        return '"' + s.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    static String value(Double v) {
        return v == null || !Double.isFinite(v) ? "null" : String.format(Locale.ROOT, "%.6g", v);
    }
}
