package dev.oxbow.train;

import dev.oxbow.tensor.Results;
import dev.oxbow.train.loss.Metric;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the batches so far contributed to each metric. */
final class Totals {
    private final List<Metric> metrics;
    private final double[][] sums;

    Totals(List<Metric> metrics) {
        this.metrics = metrics;
        this.sums = new double[metrics.size()][];
    }

    /** Adds what a run fetched, from result {@code first} on. */
    void add(Results r, int first) {
        for (int i = 0; i < sums.length; i++) {
            double[] part = r.get(first + i).doubles();
            if (sums[i] == null) sums[i] = new double[part.length];
            for (int j = 0; j < part.length; j++) sums[i][j] += part[j];
        }
    }

    /** The totals so far, by the names of the metrics. */
    Map<String, double[]> sums() {
        Map<String, double[]> all = new LinkedHashMap<>();
        for (int i = 0; i < sums.length; i++) all.put(metrics.get(i).name(), sums[i]);
        return all;
    }

    /** The figures so far, by the names of the metrics. */
    Map<String, Double> results() {
        Map<String, Double> all = new LinkedHashMap<>();
        for (int i = 0; i < sums.length; i++)
            if (sums[i] != null) all.put(metrics.get(i).name(), metrics.get(i).result(sums[i]));
        return all;
    }
}
