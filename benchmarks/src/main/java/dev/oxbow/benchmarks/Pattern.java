package dev.oxbow.benchmarks;

import dev.oxbow.tensor.Memory;

/**
 * Values whose sums over ranks are exact in any order and in every format: element i of rank r is {@code ((i mod 1009) + 3r)
 * mod 8}. The C and Python programs use the same.
 */
final class Pattern {
    private static final int PERIOD = 1009;
    private static final int VALUES = 8;
    private static final int STRIDE = 3;

    private final float[] table = new float[PERIOD];

    private Pattern() {}

    /** What one rank gives. */
    static Pattern of(int rank) {
        Pattern p = new Pattern();
        for (int i = 0; i < PERIOD; i++) p.table[i] = (i + STRIDE * rank) % VALUES;
        return p;
    }

    /** What the ranks below {@code ranks} give together. */
    static Pattern sum(int ranks) {
        Pattern p = new Pattern();
        for (int r = 0; r < ranks; r++) for (int i = 0; i < PERIOD; i++) p.table[i] += (i + STRIDE * r) % VALUES;
        return p;
    }

    /** Writes elements {@code [from, from + count)} to memory. */
    void fill(long address, long from, long count) {
        int at = (int) (from % PERIOD);
        for (long i = 0; i < count; i++) {
            Memory.putFloat(address + i * Float.BYTES, table[at]);
            if (++at == PERIOD) at = 0;
        }
    }

    /** Fails unless memory holds elements {@code [from, from + count)}, each within a tolerance. */
    void check(String what, long address, long from, long count, float tolerance) {
        int at = (int) (from % PERIOD);
        for (long i = 0; i < count; i++) {
            float value = Memory.getFloat(address + i * Float.BYTES);
            if (!(Math.abs(value - table[at]) <= tolerance))
                throw new IllegalStateException(
                        "%s: element %d is %s instead of %s".formatted(what, from + i, value, table[at]));
            if (++at == PERIOD) at = 0;
        }
    }
}
