package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Counts;

/** Whole weights of classes, which can be increased, and the class at a place of their sum, both in O(log n). */
final class WeightTree {

    /** Fenwick's sums: element i has the weights of the classes {@code (i - lowest bit of i, i]}, counted from 1. */
    private final int[] sums;

    private int total;

    private WeightTree(int[] sums) {
        this.sums = sums;
    }

    /** {@code n} classes of weight 1. */
    static WeightTree ofOnes(long n) {
        WeightTree t = new WeightTree(Counts.array(Math.min(n, Integer.MAX_VALUE) + 1, int[]::new));
        for (int i = 1; i < t.sums.length; i++) t.sums[i] = i & -i;
        t.total = t.sums.length - 1;
        return t;
    }

    int total() {
        return total;
    }

    int weight(int i) {
        int w = sums[i + 1], first = i + 1 & i;
        for (int k = i; k > first; k &= k - 1) w -= sums[k];
        return w;
    }

    void increase(int i) {
        require(total < Integer.MAX_VALUE, RESOURCE_EXHAUSTED, "the classes occurred more than %d times", total);
        total++;
        for (int k = i + 1; k < sums.length && k > 0; k += k & -k) sums[k]++;
    }

    /** The class i for which {@code place} is at least the sum of the weights before it, and less with its own. */
    int at(int place) {
        int i = 0, left = place;
        for (int step = Integer.highestOneBit(sums.length); step > 0; step >>= 1) {
            if (i + step >= sums.length || i + step < 0 || sums[i + step] > left) continue;
            i += step;
            left -= sums[i];
        }
        return i;
    }
}
