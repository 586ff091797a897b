package dev.oxbow.collective.combine;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Memory;
import java.lang.foreign.MemorySegment;

/** Reductions of f16 and bf16: a tile is widened to f32, combined, and rounded to nearest even. */
public final class CombineHalf implements Combine {

    /*
     * Loops over arrays become vectors by themselves, which loops between two addresses do not, since the compiler can
     * not know that those are apart. So tiles pass through arrays, which fit in the first-level cache.
     */

    private static final int TILE = 1024;

    /** {@code a[i] = a[i] op b[i]}. */
    @FunctionalInterface
    interface Tile {
        void combine(float[] a, float[] b, int count);
    }

    private final boolean brain;
    private final Tile tile;
    private final short[] bits = new short[TILE];
    private final float[] a = new float[TILE];
    private final float[] b = new float[TILE];

    CombineHalf(DType dtype, Tile tile) {
        brain = dtype == DType.BF16;
        this.tile = tile;
    }

    @Override
    public void combine(long to, long from, long count) {
        for (long i = 0; i < count; i += TILE) {
            int n = (int) Math.min(TILE, count - i);
            load(to + 2 * i, a, n);
            load(from + 2 * i, b, n);
            tile.combine(a, b, n);
            if (brain) narrowBf16(a, bits, n);
            else narrowF16(a, bits, n);
            MemorySegment.copy(bits, 0, Memory.ALL, Memory.SHORT, to + 2 * i, n);
        }
    }

    private void load(long address, float[] values, int n) {
        MemorySegment.copy(Memory.ALL, Memory.SHORT, address, bits, 0, n);
        if (brain) widenBf16(bits, values, n);
        else widenF16(bits, values, n);
    }

    static void widenBf16(short[] from, float[] to, int n) {
        for (int i = 0; i < n; i++) to[i] = Half.fromBf16(from[i]);
    }

    public static void widenF16(short[] from, float[] to, int n) {
        for (int i = 0; i < n; i++) to[i] = Float.float16ToFloat(from[i]);
    }

    static void narrowBf16(float[] from, short[] to, int n) {
        for (int i = 0; i < n; i++) to[i] = Half.toBf16(from[i]);
    }

    public static void narrowF16(float[] from, short[] to, int n) {
        for (int i = 0; i < n; i++) to[i] = Float.floatToFloat16(from[i]);
    }

    static void sum(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) a[i] += b[i];
    }

    static void product(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) a[i] *= b[i];
    }

    static void min(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) a[i] = Math.min(a[i], b[i]);
    }

    static void max(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) a[i] = Math.max(a[i], b[i]);
    }
}
