package dev.oxbow.collective.algorithm;

import dev.oxbow.tensor.Memory;

/** Finds the values of largest magnitude in linear time; NaN counts as the largest, of equal ones the first are taken. */
final class TopMagnitudes {

    /*
     * Magnitudes of floats are ordered as their bits are. A first pass counts the upper 11 bits of all, which says in which
     * bin the k-th largest is; a second one counts the lower 20 bits of those in that bin alone; a third one takes what is
     * above. The first pass has something else to do with each value as well: it writes what is kept.
     */

    private static final int BINS = 1 << 11, SHIFT = 20, LOWER = (1 << SHIFT) - 1, MAGNITUDE = 0x7fffffff;
    private static final int INFINITE = 0x7f800000;

    /** Four tables, so that neighbours that are alike do not wait for each other. */
    private final int[] upper = new int[4 * BINS];

    /** Counts values, which must all have been counted before {@link #choose}. */
    void count(long values, long count) {
        for (long i = 0; i < count; i++) upper[Memory.getInt(values + 4 * i) >>> SHIFT & BINS - 1]++;
    }

    /** Counts values and copies them, zeros in the place of infinite and NaN ones. */
    void countAndCopy(long values, long to, long count) {
        long i = 0;
        for (; i + 4 <= count; i += 4) {
            long from = values + 4 * i, at = to + 4 * i;
            int a = Memory.getInt(from), b = Memory.getInt(from + 4);
            int c = Memory.getInt(from + 8), d = Memory.getInt(from + 12);
            upper[a >>> SHIFT & BINS - 1]++;
            upper[BINS + (b >>> SHIFT & BINS - 1)]++;
            upper[2 * BINS + (c >>> SHIFT & BINS - 1)]++;
            upper[3 * BINS + (d >>> SHIFT & BINS - 1)]++;
            Memory.putInt(at, finite(a));
            Memory.putInt(at + 4, finite(b));
            Memory.putInt(at + 8, finite(c));
            Memory.putInt(at + 12, finite(d));
        }
        count(values + 4 * i, count - i);
        for (; i < count; i++) Memory.putInt(to + 4 * i, finite(Memory.getInt(values + 4 * i)));
    }

    private static int finite(int bits) {
        return (bits & INFINITE) == INFINITE ? 0 : bits;
    }

    /** Writes the indices of the {@code k} largest of {@code count} values, ascending, and behind them the values. */
    void choose(long values, int count, int k, long pairs) {
        int bin = BINS - 1, left = k;
        while (of(bin) < left) left -= of(bin--);
        if (of(bin) == left) {
            collect(values, count, bin << SHIFT, count, k, pairs);
            return;
        }
        int[] lower = lower(values, count, bin);
        int last = LOWER;
        while (lower[last] < left) left -= lower[last--];
        collect(values, count, bin << SHIFT | last, left, k, pairs);
    }

    private int of(int bin) {
        return upper[bin] + upper[BINS + bin] + upper[2 * BINS + bin] + upper[3 * BINS + bin];
    }

    private static int[] lower(long values, int count, int bin) {
        int[] lower = new int[LOWER + 1];
        int zeros = 0; // of which there may be many
        for (int i = 0; i < count; i++) {
            int bits = Memory.getInt(values + 4L * i) & MAGNITUDE;
            if (bits == 0) zeros++;
            else if (bits >>> SHIFT == bin) lower[bits & LOWER]++;
        }
        if (bin == 0) lower[0] += zeros;
        return lower;
    }

    /** Takes all above the threshold, and the first {@code equal} that are on it. */
    private static void collect(long values, int count, int threshold, int equal, int k, long pairs) {
        int at = 0, left = equal;
        for (int i = 0; i < count && at < k; i++) {
            int bits = Memory.getInt(values + 4L * i), magnitude = bits & MAGNITUDE;
            if (magnitude < threshold || magnitude == threshold && left-- <= 0) continue;
            Memory.putInt(pairs + 4L * at, i);
            Memory.putInt(pairs + 4L * (k + at), bits);
            at++;
        }
    }
}
