package dev.oxbow.benchmarks;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** One line of the table: what each system reached in every round, or why it did not. */
final class Row {
    private final String name;
    private final String unit;
    private final boolean isLowerBetter;
    private final Map<String, double[]> figures = new LinkedHashMap<>();
    private final Map<String, String> remarks = new LinkedHashMap<>();
    private Double limit;

    Row(String name, String unit, boolean isLowerBetter) {
        this.name = name;
        this.unit = unit;
        this.isLowerBetter = isLowerBetter;
    }

    String name() {
        return name;
    }

    String unit() {
        return unit;
    }

    void add(String system, double figure) {
        double[] old = figures.getOrDefault(system, new double[0]);
        double[] now = Arrays.copyOf(old, old.length + 1);
        now[old.length] = figure;
        figures.put(system, now);
    }

    /** A system that takes no further part in this row. */
    void fail(String system, String why) {
        figures.remove(system);
        remarks.put(system, why);
    }

    /** What the hardware allows, in the row's unit. */
    void limit(double figure) {
        limit = figure;
    }

    Map<String, String> remarks() {
        return remarks;
    }

    /** The figures of a system, sorted; null when it has none. */
    double[] sorted(String system) {
        double[] f = figures.get(system);
        if (f == null) return null;
        double[] copy = f.clone();
        Arrays.sort(copy);
        return copy;
    }

    Double median(String system) {
        double[] f = figures.get(system);
        return f == null ? null : Pairs.quantile(f, 0.5);
    }

    /** Ours beside another build's, unless one of them has none. */
    Optional<Pairs> pairs(String other) {
        double[] own = figures.get("oxbow"), theirs = figures.get(other);
        return own == null || theirs == null
                ? Optional.empty()
                : Optional.of(Pairs.of(other, own, theirs, isLowerBetter));
    }

    /** The medians of all but builds of Oxbow. */
    Map<String, Double> peers() {
        Map<String, Double> peers = new LinkedHashMap<>();
        for (String system : figures.keySet()) if (!Build.isName(system)) peers.put(system, median(system));
        return peers;
    }

    /** Ours to the best peer's, above 1 where we are better. */
    Double ratio() {
        Double own = median("oxbow");
        var peers = peers().values().stream().mapToDouble(Double::doubleValue);
        var best = isLowerBetter ? peers.min() : peers.max();
        if (own == null || best.isEmpty()) return null;
        return isLowerBetter ? best.getAsDouble() / own : own / best.getAsDouble();
    }

    Double limitShare() {
        Double own = median("oxbow");
        if (own == null || limit == null) return null;
        return isLowerBetter ? limit / own : own / limit;
    }
}
