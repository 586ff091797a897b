package dev.oxbow.benchmarks;

import java.util.Arrays;
import java.util.Locale;

/**
 * This build beside another in one row: the ratios of what was measured one after the other, above 1 where this one is
 * better.
 *
 * @param other the name of the other build
 * @param figure the other's median
 * @param median the median of the ratios
 * @param lower their lower quartile
 * @param upper their upper quartile
 */
record Pairs(String other, double figure, double median, double lower, double upper, int rounds) {
    private static final double APART = 0.04;
    private static final double SLOWER = 0.97;

    /** Of figures in the order of rounds. */
    static Pairs of(String other, double[] own, double[] theirs, boolean isLowerBetter) {
        if (own.length != theirs.length)
            throw new IllegalArgumentException(own.length + " rounds beside " + theirs.length);
        double[] ratios = new double[own.length];
        for (int i = 0; i < ratios.length; i++) ratios[i] = isLowerBetter ? theirs[i] / own[i] : own[i] / theirs[i];
        return new Pairs(
                other,
                quantile(theirs, 0.5),
                quantile(ratios, 0.5),
                quantile(ratios, 0.25),
                quantile(ratios, 0.75),
                ratios.length);
    }

    /** The value below which this share of all lies, between two of them by their distances. */
    static double quantile(double[] values, double share) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double at = share * (sorted.length - 1);
        int below = (int) at, above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
    }

    /** Whether the quartiles are too far apart to tell a difference of a few percent. */
    boolean isWide() {
        return upper - lower > APART * median;
    }

    /** Whether this build is slower, and not only in the median. */
    boolean isSlower() {
        return median < SLOWER && upper < 1;
    }

    /** Such as {@code 1.012} or {@code 0.951 slower}. */
    String ratio() {
        return String.format(Locale.ROOT, "%.3f", median) + (isSlower() ? " slower" : "");
    }

    /** Such as {@code 0.993..1.021}. */
    String quartiles() {
        return String.format(Locale.ROOT, "%.3f..%.3f", lower, upper);
    }

    String json() {
        return "{\"name\": %s, \"figure\": %s, \"ratio\": %s, \"lower\": %s, \"upper\": %s, \"rounds\": %d, \"slower\": %s}"
                .formatted(
                        Report.quoted(other),
                        Report.value(figure),
                        Report.value(median),
                        Report.value(lower),
                        Report.value(upper),
                        rounds,
                        isSlower());
    }
}
