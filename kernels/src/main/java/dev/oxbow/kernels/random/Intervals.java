package dev.oxbow.kernels.random;

import java.util.Arrays;

/** Random cuts of a length into parts whose sizes differ by one, as fractional pools draw them. */
public final class Intervals {
    private Intervals() {}

    /** The ends of {@code parts} intervals that cover {@code [0, length)}, beginning with 0. */
    public static long[] draw(PhiloxState state, int length, int parts, boolean pseudoRandom) {
        int[] sizes = pseudoRandom ? spaced(state, length, parts) : shuffled(state, length, parts);
        // Equal parts take their numbers from the stream too, but do not use them.
        if (length % parts == 0) Arrays.fill(sizes, length / parts);
        long[] ends = new long[parts + 1];
        for (int i = 0; i < parts; i++) ends[i + 1] = ends[i] + sizes[i];
        return ends;
    }

    private static int[] shuffled(PhiloxState state, int length, int parts) {
        int[] order = Shuffle.permutation(state.reserve((parts + 3) / 4), parts), sizes = new int[parts];
        for (int i = 0; i < parts; i++) sizes[i] = length / parts + (order[i] < length % parts ? 1 : 0);
        return sizes;
    }

    /** Ends at {@code ceil(alpha (i + u))} for one random u, as small as keeps every size legal. */
    private static int[] spaced(PhiloxState state, int length, int parts) {
        double alpha = (double) length / parts;
        int k = length / parts;
        double most = Math.min((k + 2) / alpha - 1, (length + 1 - k) / alpha - (parts - 1));
        int[] block = new int[4];
        state.reserve(1).next(block);
        long bits = 1023L << 52 | (block[0] & 0xfffffL) << 32 | block[1] & 0xffffffffL;
        double u = (Double.longBitsToDouble(bits) - 1) * most;
        int[] sizes = new int[parts];
        int before = 1;
        for (int i = 1; i <= parts; i++) {
            int end = i == parts ? length + 1 : (int) Math.ceil(alpha * (i + u));
            sizes[i - 1] = end - before;
            before = end;
        }
        return sizes;
    }
}
