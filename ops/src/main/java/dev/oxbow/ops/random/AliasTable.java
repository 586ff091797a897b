package dev.oxbow.ops.random;

/** Walker's alias table: a slot is itself below its threshold, and one other class above. */
final class AliasTable {
    private AliasTable() {}

    static void fill(float[] weights, float[] threshold, int[] other) {
        int n = weights.length, lows = 0, highs = 0;
        double[] p = new double[n];
        int[] low = new int[n], high = new int[n];
        double sum = 0;
        for (float w : weights) sum += w;
        for (int i = 0; i < n; i++) {
            other[i] = i;
            p[i] = weights[i] * n / sum;
            if (p[i] < 1) low[lows++] = i;
            else high[highs++] = i;
        }
        while (lows > 0 && highs > 0) {
            int l = low[--lows], h = high[--highs];
            other[l] = h;
            p[h] -= 1 - p[l];
            if (p[h] < 1) low[lows++] = h;
            else high[highs++] = h;
        }
        for (int i = 0; i < n; i++) threshold[i] = (float) p[i];
        while (lows > 0) threshold[low[--lows]] = 1;
        while (highs > 0) threshold[high[--highs]] = 1;
    }
}
