package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.Comparator;

/** Stable orders of elements and of rows. */
public final class Sorting {
    private Sorting() {}

    /** The positions of {@code n} elements from {@code at} on, in ascending order of their values. */
    public static int[] order(Tensor x, long at, int n) {
        long[] keys = new long[n];
        for (int i = 0; i < n; i++) keys[i] = Keys.ordered(x, at + i);
        return order(n, Comparator.comparingLong(i -> keys[i]));
    }

    /**
     * The positions of the rows of an integer matrix in lexicographic order of their columns, taken in {@code
     * columns}' order.
     */
    public static int[] rows(Tensor matrix, int[] columns) {
        int n = Counts.toInt(matrix.shape().dim(0)),
                width = Counts.toInt(matrix.shape().dim(1));
        return order(n, (a, b) -> {
            for (int c : columns) {
                int compared = Long.compare(matrix.getLong((long) a * width + c), matrix.getLong((long) b * width + c));
                if (compared != 0) return compared;
            }
            return 0;
        });
    }

    private static int[] order(int n, Comparator<Integer> comparator) {
        Integer[] order = new Integer[n];
        for (int i = 0; i < n; i++) order[i] = i;
        Arrays.sort(order, comparator);
        int[] result = new int[n];
        for (int i = 0; i < n; i++) result[i] = order[i];
        return result;
    }
}
