package dev.oxbow.ops.nn;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/**
 * All the ways in which labels can be said in a row of scores: by forward and backward sums over places (time, label), labels
 * with blanks between and around them. Sums are of logarithms.
 */
final class CtcPaths {
    private static final double NONE = Double.NEGATIVE_INFINITY;

    private final int times;
    private final int blank;
    private final int[] places;
    private final boolean merged;

    /** By time and class: the logarithm of its probability. */
    private final double[][] input;

    private CtcPaths(CtcInputs x, int row, int[] labels, boolean merged) {
        times = x.lengths()[row];
        blank = x.classes() - 1;
        this.merged = merged;
        places = new int[2 * labels.length + 1];
        Arrays.fill(places, blank);
        for (int i = 0; i < labels.length; i++) places[2 * i + 1] = labels[i];
        input = new double[times][x.classes()];
        for (int t = 0; t < times; t++) {
            double norm = x.norm(t, row);
            for (int k = 0; k <= blank; k++) input[t][k] = x.score(t, row, k) - norm;
        }
    }

    /** The loss of a row; adds its gradient by the scores. */
    static double loss(CtcInputs x, int row, int[] labels, boolean merged, Tensor gradient) {
        CtcPaths p = new CtcPaths(x, row, labels, merged);
        double[][] before = p.forward(), after = p.backward();
        double all = NONE;
        for (int u = 0; u < p.places.length; u++) all = CtcInputs.plus(all, before[0][u] + after[0][u]);
        double[] of = new double[x.classes()];
        for (int t = 0; t < p.times; t++) {
            Arrays.fill(of, NONE);
            for (int u = 0; u < p.places.length; u++)
                of[p.places[u]] = CtcInputs.plus(of[p.places[u]], before[t][u] + after[t][u]);
            long at = ((long) t * x.batch() + row) * x.classes();
            for (int k = 0; k < of.length; k++)
                gradient.set(at + k, Math.exp(p.input[t][k]) - (all == NONE ? 0 : Math.exp(of[k] - all)));
        }
        return -all;
    }

    /** Whether a path may go from one place to the second one behind it. */
    private boolean skips(int from) {
        return from + 2 < places.length && places[from] != blank && !(merged && places[from] == places[from + 2]);
    }

    /** Whether a path may stay at a place. */
    private boolean stays(int u) {
        return merged || places[u] == blank;
    }

    /** By time and place: the sum over the paths up to there. */
    private double[][] forward() {
        double[][] sum = table();
        for (int u = 0; u < Math.min(2, places.length); u++) sum[0][u] = input[0][places[u]];
        for (int t = 1; t < times; t++)
            for (int u = first(t); u < end(t); u++) {
                double s = stays(u) ? sum[t - 1][u] : NONE;
                if (u > 0) s = CtcInputs.plus(s, sum[t - 1][u - 1]);
                if (u > 1 && skips(u - 2)) s = CtcInputs.plus(s, sum[t - 1][u - 2]);
                sum[t][u] = s + input[t][places[u]];
            }
        return sum;
    }

    /** By time and place: the sum over the paths from there, without it. */
    private double[][] backward() {
        double[][] sum = table();
        for (int u = Math.max(0, places.length - 2); u < places.length; u++) sum[times - 1][u] = 0;
        for (int t = times - 2; t >= 0; t--)
            for (int u = first(t); u < end(t); u++) {
                double s = stays(u) ? next(sum, t, u) : NONE;
                if (u + 1 < places.length) s = CtcInputs.plus(s, next(sum, t, u + 1));
                if (skips(u)) s = CtcInputs.plus(s, next(sum, t, u + 2));
                sum[t][u] = s;
            }
        return sum;
    }

    private double next(double[][] sum, int t, int u) {
        return sum[t + 1][u] + input[t + 1][places[u]];
    }

    private double[][] table() {
        Counts.objects((long) times * places.length, 2 * Double.BYTES);
        double[][] all = new double[times][places.length];
        for (double[] row : all) Arrays.fill(row, NONE);
        return all;
    }

    /** The first place from which there is time for all labels behind it. */
    private int first(int t) {
        return Math.max(0, places.length - 2 * (times - t));
    }

    private int end(int t) {
        return Math.min(places.length, 2 * (t + 1));
    }
}
