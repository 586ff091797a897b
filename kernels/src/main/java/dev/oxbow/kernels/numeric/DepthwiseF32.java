package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.VectorWidth;
import dev.oxbow.kernels.WarmLoop;
import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Filters with one weight per tap and channel on f32 images with channels last, on windows that stand side by side as
 * {@link PoolF32} has them; row {@code numbers[t]} of the filter belongs to tap t.
 */
final class DepthwiseF32 {
    private static final int LANES = VectorWidth.BYTES / 4;
    private static final long[] TAPS = {0, 64, 448, 512};
    private static final int[] NUMBERS = {0, 1, 2, 3};

    private static final WarmLoop FORWARD = new WarmLoop(
            3_000, m -> Vectors.forward(m, 128, TAPS, NUMBERS, 4, m + (1 << 15), m + (3 << 14), 16, 64, 64));
    private static final WarmLoop INPUT_GRADIENT = new WarmLoop(
            4_000, m -> Vectors.inputGradient(m, 128, TAPS, NUMBERS, 4, m + (1 << 15), m + (3 << 14), 16, 64, 64));
    private static final WarmLoop FILTER_GRADIENT = new WarmLoop(
            3_000, m -> Vectors.filterGradient(m, 128, TAPS, NUMBERS, 4, m + (1 << 15), m + (3 << 14), 16, 64, 64));
    private static final WarmLoop DILATION = new WarmLoop(
            3_000, m -> Vectors.dilation(m, 128, TAPS, NUMBERS, 4, m + (1 << 15), m + (3 << 14), 16, 64, 64));

    private DepthwiseF32() {}

    private static long whole(WarmLoop loop, long c) {
        return c >= LANES && loop.isReady() ? c & -LANES : 0;
    }

    /** {@code y[i] = sum over taps of x[tap, i] * f[tap, i]}, each step an fma. */
    static void forward(long x, long step, long[] taps, int[] numbers, int n, long f, long y, long count, long c) {
        long v = whole(FORWARD, c);
        if (v > 0) Vectors.forward(x, step, taps, numbers, n, f, y, count, v, c);
        for (long p = 0; p < count && v < c; p++) forward(x + 4 * p * step, taps, numbers, n, f, y + 4 * p * c, v, c);
    }

    private static void forward(long x, long[] taps, int[] numbers, int n, long f, long y, long v, long c) {
        for (long i = v; i < c; i++) {
            float sum = 0;
            for (int t = 0; t < n; t++)
                sum = Math.fma(
                        Memory.getFloat(x + 4 * (i + taps[t])), Memory.getFloat(f + 4 * (numbers[t] * c + i)), sum);
            Memory.putFloat(y + 4 * i, sum);
        }
    }

    /** {@code dx[tap, i] += f[tap, i] * dy[i]}. */
    static void inputGradient(
            long dx, long step, long[] taps, int[] numbers, int n, long f, long dy, long count, long c) {
        long v = whole(INPUT_GRADIENT, c);
        if (v > 0) Vectors.inputGradient(dx, step, taps, numbers, n, f, dy, count, v, c);
        for (long p = 0; p < count && v < c; p++)
            inputGradient(dx + 4 * p * step, taps, numbers, n, f, dy + 4 * p * c, v, c);
    }

    private static void inputGradient(long dx, long[] taps, int[] numbers, int n, long f, long dy, long v, long c) {
        for (long i = v; i < c; i++) {
            float g = Memory.getFloat(dy + 4 * i);
            for (int t = 0; t < n; t++) {
                long to = dx + 4 * (i + taps[t]);
                Memory.putFloat(to, Math.fma(g, Memory.getFloat(f + 4 * (numbers[t] * c + i)), Memory.getFloat(to)));
            }
        }
    }

    /** {@code df[tap, i] += x[tap, i] * dy[i]}, window after window. */
    static void filterGradient(
            long x, long step, long[] taps, int[] numbers, int n, long df, long dy, long count, long c) {
        long v = whole(FILTER_GRADIENT, c);
        if (v > 0) Vectors.filterGradient(x, step, taps, numbers, n, df, dy, count, v, c);
        for (int t = 0; t < n && v < c; t++)
            filterGradient(x + 4 * taps[t], step, df + 4 * numbers[t] * c, dy, count, v, c);
    }

    private static void filterGradient(long x, long step, long df, long dy, long count, long v, long c) {
        for (long i = v; i < c; i++) {
            float sum = Memory.getFloat(df + 4 * i);
            for (long p = 0; p < count; p++)
                sum = Math.fma(Memory.getFloat(x + 4 * (p * step + i)), Memory.getFloat(dy + 4 * (p * c + i)), sum);
            Memory.putFloat(df + 4 * i, sum);
        }
    }

    /** {@code y[i] = max over taps of x[tap, i] + f[tap, i]}; n is at least 1. */
    static void dilation(long x, long step, long[] taps, int[] numbers, int n, long f, long y, long count, long c) {
        long v = whole(DILATION, c);
        if (v > 0) Vectors.dilation(x, step, taps, numbers, n, f, y, count, v, c);
        for (long p = 0; p < count && v < c; p++) dilation(x + 4 * p * step, taps, numbers, n, f, y + 4 * p * c, v, c);
    }

    private static void dilation(long x, long[] taps, int[] numbers, int n, long f, long y, long v, long c) {
        for (long i = v; i < c; i++) {
            float best = 0;
            for (int t = 0; t < n; t++) {
                float a = Memory.getFloat(x + 4 * (i + taps[t])) + Memory.getFloat(f + 4 * (numbers[t] * c + i));
                best = t == 0 || a > best ? a : best;
            }
            Memory.putFloat(y + 4 * i, best);
        }
    }

    /** The loops that need the Vector API, in a class of their own: it is linked only where the API is. */
    static final class Vectors {
        private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
        private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

        private Vectors() {}

        private static FloatVector load(long at) {
            return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER);
        }

        static void forward(
                long x, long step, long[] taps, int[] numbers, int n, long f, long y, long count, long v, long c) {
            for (long p = 0; p < count; p++) {
                for (long i = 0; i < v; i += SPECIES.length()) {
                    FloatVector sum = FloatVector.zero(SPECIES);
                    for (int t = 0; t < n; t++)
                        sum = load(x + 4 * (p * step + i + taps[t])).fma(load(f + 4 * (numbers[t] * c + i)), sum);
                    sum.intoMemorySegment(Memory.ALL, y + 4 * (p * c + i), ORDER);
                }
            }
        }

        static void inputGradient(
                long dx, long step, long[] taps, int[] numbers, int n, long f, long dy, long count, long v, long c) {
            for (long p = 0; p < count; p++) {
                for (long i = 0; i < v; i += SPECIES.length()) {
                    FloatVector g = load(dy + 4 * (p * c + i));
                    for (int t = 0; t < n; t++) {
                        long to = dx + 4 * (p * step + i + taps[t]);
                        g.fma(load(f + 4 * (numbers[t] * c + i)), load(to)).intoMemorySegment(Memory.ALL, to, ORDER);
                    }
                }
            }
        }

        static void filterGradient(
                long x, long step, long[] taps, int[] numbers, int n, long df, long dy, long count, long v, long c) {
            for (int t = 0; t < n; t++) {
                for (long i = 0; i < v; i += SPECIES.length()) {
                    long to = df + 4 * (numbers[t] * c + i), from = x + 4 * (i + taps[t]);
                    FloatVector sum = load(to);
                    for (long p = 0; p < count; p++)
                        sum = load(from + 4 * p * step).fma(load(dy + 4 * (p * c + i)), sum);
                    sum.intoMemorySegment(Memory.ALL, to, ORDER);
                }
            }
        }

        static void dilation(
                long x, long step, long[] taps, int[] numbers, int n, long f, long y, long count, long v, long c) {
            for (long p = 0; p < count; p++) {
                for (long i = 0; i < v; i += SPECIES.length()) {
                    long at = x + 4 * (p * step + i);
                    FloatVector best = load(at + 4 * taps[0]).add(load(f + 4 * (numbers[0] * c + i)));
                    for (int t = 1; t < n; t++) {
                        FloatVector a = load(at + 4 * taps[t]).add(load(f + 4 * (numbers[t] * c + i)));
                        best = best.blend(a, a.compare(VectorOperators.GT, best));
                    }
                    best.intoMemorySegment(Memory.ALL, y + 4 * (p * c + i), ORDER);
                }
            }
        }
    }
}
