package dev.oxbow.collective.algorithm;

import dev.oxbow.tensor.Memory;
import java.util.Arrays;

/** Finds the values of largest magnitude in linear time; NaN counts as the largest, of equal ones the first are taken. */
final class TopMagnitudes {

    /*
     * Magnitudes of floats are ordered as their bits are, so the k-th largest is found by histograms of the upper 11 bits,
     * then of the next 10 among those that share these, then of the last 10.
     */

    private static final int[] SHIFTS = {20, 10, 0};

    private TopMagnitudes() {}

    /** Writes the indices of the {@code k} largest of {@code count} values, ascending, and behind them the values. */
    static void choose(long values, int count, int k, long pairs) {
        int[] histogram = new int[1 << 11];
        int threshold = 0, left = k;
        for (int shift : SHIFTS) {
            Arrays.fill(histogram, 0);
            int shared = shift == 20 ? 31 : shift + 10;
            fill(values, count, threshold, shared, shift, histogram);
            int bin = histogram.length - 1;
            while (histogram[bin] < left) left -= histogram[bin--];
            threshold |= bin << shift;
        }
        collect(values, count, threshold, left, k, pairs);
    }

    private static void fill(long values, int count, int threshold, int shared, int shift, int[] histogram) {
        int mask = shift == 20 ? 0x7ff : 0x3ff;
        for (int i = 0; i < count; i++) {
            int bits = Memory.getInt(values + 4L * i) & 0x7fffffff;
            if (shared == 31 || bits >>> shared == threshold >>> shared) histogram[bits >>> shift & mask]++;
        }
    }

    private static void collect(long values, int count, int threshold, int equal, int k, long pairs) {
        int at = 0, left = equal;
        for (int i = 0; i < count && at < k; i++) {
            int bits = Memory.getInt(values + 4L * i), magnitude = bits & 0x7fffffff;
            if (magnitude < threshold || magnitude == threshold && left-- <= 0) continue;
            Memory.putInt(pairs + 4L * at, i);
            Memory.putInt(pairs + 4L * (k + at), bits);
            at++;
        }
    }
}
