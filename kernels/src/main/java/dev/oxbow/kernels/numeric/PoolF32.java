package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.VectorWidth;
import dev.oxbow.kernels.WarmLoop;
import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Pools of f32 images with channels last, on windows that stand side by side: {@code count} of them, {@code step} elements
 * apart in the input, each with taps {@code taps[0..n)} elements from its start.
 */
final class PoolF32 {

    /*
     * Vectors run over channels, and each window keeps its result in a register while it goes through its taps. Every
     * loop has a scalar twin for the channels that do not fill a vector, which does all of them until the vector loop
     * is compiled. The twins are methods of one window, because short methods are compiled soonest.
     */

    private static final int LANES = VectorWidth.BYTES / 4;
    private static final long[] TRIAL = {0, 64, 448, 512};

    private static final WarmLoop MAX =
            new WarmLoop(2_000, m -> Vectors.max(m, 128, TRIAL, 4, m + (1 << 15), 16, 64, 64));
    private static final WarmLoop WINNERS =
            new WarmLoop(4_000, m -> Vectors.winners(m, 128, TRIAL, 4, m + (1 << 15), m + (3 << 14), 16, 64, 64));
    private static final WarmLoop MAX_GRADIENT =
            new WarmLoop(4_000, m -> Vectors.maxGradient(m, 128, TRIAL, 4, m + (1 << 15), m + (3 << 14), 16, 64, 64));
    private static final WarmLoop MAX_GRADIENT_ONCE = new WarmLoop(
            4_000, m -> Vectors.maxGradientOnce(m, 128, TRIAL, 4, m + (1 << 15), m + (3 << 14), 16, 64, 64));
    private static final WarmLoop MAX_GRADIENT_OF_4 =
            new WarmLoop(4_000, m -> Vectors.maxGradientOf4(m, 128, TRIAL, m + (1 << 15), m + (3 << 14), 16, 64, 64));
    private static final WarmLoop MEAN =
            new WarmLoop(3_000, m -> Vectors.mean(m, 128, TRIAL, 4, m + (1 << 15), 16, 64, 64));
    private static final WarmLoop MEAN_GRADIENT =
            new WarmLoop(3_000, m -> Vectors.meanGradient(m, 128, TRIAL, 4, m + (1 << 15), 16, 64, 64));

    private PoolF32() {}

    /** How many of c channels fill vectors, if the loop may use them. */
    private static long whole(WarmLoop loop, long c) {
        return c >= LANES && loop.isReady() ? c & -LANES : 0;
    }

    /** {@code y} = the largest element of each window; no window is below the smallest finite number, NaN never wins. */
    static void max(long x, long step, long[] taps, int n, long y, long count, long c) {
        long v = whole(MAX, c);
        if (v > 0) Vectors.max(x, step, taps, n, y, count, v, c);
        for (long p = 0; p < count && v < c; p++) max(x + 4 * p * step, taps, n, y + 4 * p * c, v, c);
    }

    private static void max(long x, long[] taps, int n, long y, long v, long c) {
        for (long i = v; i < c; i++) {
            float best = -Float.MAX_VALUE;
            for (int t = 0; t < n; t++) {
                float a = Memory.getFloat(x + 4 * (i + taps[t]));
                best = a > best ? a : best;
            }
            Memory.putFloat(y + 4 * i, best);
        }
    }

    /** {@code tap} = the number of the first tap with the largest element, {@code y} = that element; n is at least 1. */
    static void winners(long x, long step, long[] taps, int n, long y, long tap, long count, long c) {
        long v = whole(WINNERS, c);
        if (v > 0) Vectors.winners(x, step, taps, n, y, tap, count, v, c);
        for (long p = 0; p < count && v < c; p++) {
            for (long i = v; i < c; i++) {
                long at = x + 4 * (p * step + i);
                int winner = winner(at, taps, n);
                Memory.putFloat(y + 4 * (p * c + i), Memory.getFloat(at + 4 * taps[winner]));
                Memory.putFloat(tap + 4 * (p * c + i), winner);
            }
        }
    }

    private static int winner(long at, long[] taps, int n) {
        float best = Memory.getFloat(at + 4 * taps[0]);
        int winner = 0;
        for (int t = 1; t < n; t++) {
            float a = Memory.getFloat(at + 4 * taps[t]);
            if (a > best) {
                best = a;
                winner = t;
            }
        }
        return winner;
    }

    /** Adds each element of {@code dy} to {@code dx}, laid out as x, at the first tap with the largest element. */
    static void maxGradient(long x, long step, long[] taps, int n, long dy, long dx, long count, long c) {
        if (n == 0) return;
        long v = whole(MAX_GRADIENT, c);
        if (v > 0) Vectors.maxGradient(x, step, taps, n, dy, dx, count, v, c);
        for (long p = 0; p < count && v < c; p++)
            maxGradient(x + 4 * p * step, taps, n, dy + 4 * p * c, dx + 4 * p * step, v, c);
    }

    private static void maxGradient(long x, long[] taps, int n, long dy, long dx, long v, long c) {
        for (long i = v; i < c; i++) {
            long to = dx + 4 * (i + taps[winner(x + 4 * i, taps, n)]);
            Memory.putFloat(to, Memory.getFloat(to) + Memory.getFloat(dy + 4 * i));
        }
    }

    /** As {@link #maxGradient} into zeros, for windows that share no element: what was in {@code dx} does not matter. */
    static void maxGradientOnce(long x, long step, long[] taps, int n, long dy, long dx, long count, long c) {
        long v = whole(n == 4 ? MAX_GRADIENT_OF_4 : MAX_GRADIENT_ONCE, c);
        if (v > 0 && n == 4) Vectors.maxGradientOf4(x, step, taps, dy, dx, count, v, c);
        else if (v > 0) Vectors.maxGradientOnce(x, step, taps, n, dy, dx, count, v, c);
        for (long p = 0; p < count && v < c; p++)
            maxGradientOnce(x + 4 * p * step, taps, n, dy + 4 * p * c, dx + 4 * p * step, v, c);
    }

    private static void maxGradientOnce(long x, long[] taps, int n, long dy, long dx, long v, long c) {
        for (long i = v; i < c; i++) {
            long winner = taps[winner(x + 4 * i, taps, n)]; // dx may be x
            for (int t = 0; t < n; t++) Memory.putFloat(dx + 4 * (i + taps[t]), 0);
            Memory.putFloat(dx + 4 * (i + winner), 0 + Memory.getFloat(dy + 4 * i));
        }
    }

    /** {@code y} = the sum of each window, in the order of its taps, divided by their number. */
    static void mean(long x, long step, long[] taps, int n, long y, long count, long c) {
        long v = whole(MEAN, c);
        if (v > 0) Vectors.mean(x, step, taps, n, y, count, v, c);
        for (long p = 0; p < count && v < c; p++) mean(x + 4 * p * step, taps, n, y + 4 * p * c, v, c);
    }

    private static void mean(long x, long[] taps, int n, long y, long v, long c) {
        for (long i = v; i < c; i++) {
            float sum = 0;
            for (int t = 0; t < n; t++) sum += Memory.getFloat(x + 4 * (i + taps[t]));
            Memory.putFloat(y + 4 * i, sum / n);
        }
    }

    /** Adds each element of {@code dy}, divided by the number of taps, to {@code dx} at all of them. */
    static void meanGradient(long dy, long dx, long step, long[] taps, int n, long count, long c) {
        long v = whole(MEAN_GRADIENT, c);
        if (v > 0) Vectors.meanGradient(dx, step, taps, n, dy, count, v, c);
        for (long p = 0; p < count && v < c; p++) meanGradient(dy + 4 * p * c, dx + 4 * p * step, taps, n, v, c);
    }

    private static void meanGradient(long dy, long dx, long[] taps, int n, long v, long c) {
        for (long i = v; i < c; i++) {
            float part = Memory.getFloat(dy + 4 * i) / n;
            for (int t = 0; t < n; t++) {
                long to = dx + 4 * (i + taps[t]);
                Memory.putFloat(to, Memory.getFloat(to) + part);
            }
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

        static void max(long x, long step, long[] taps, int n, long y, long count, long v, long c) {
            for (long p = 0; p < count; p++) {
                for (long i = 0; i < v; i += SPECIES.length()) {
                    long at = x + 4 * (p * step + i);
                    FloatVector best = FloatVector.broadcast(SPECIES, -Float.MAX_VALUE);
                    for (int t = 0; t < n; t++) {
                        FloatVector a = load(at + 4 * taps[t]);
                        best = best.blend(a, a.compare(VectorOperators.GT, best));
                    }
                    best.intoMemorySegment(Memory.ALL, y + 4 * (p * c + i), ORDER);
                }
            }
        }

        static void winners(long x, long step, long[] taps, int n, long y, long tap, long count, long v, long c) {
            for (long p = 0; p < count; p++) {
                for (long i = 0; i < v; i += SPECIES.length()) {
                    long at = x + 4 * (p * step + i), out = 4 * (p * c + i);
                    FloatVector best = load(at + 4 * taps[0]), winner = FloatVector.zero(SPECIES);
                    for (int t = 1; t < n; t++) {
                        FloatVector a = load(at + 4 * taps[t]);
                        var larger = a.compare(VectorOperators.GT, best);
                        best = best.blend(a, larger);
                        winner = winner.blend(FloatVector.broadcast(SPECIES, t), larger);
                    }
                    best.intoMemorySegment(Memory.ALL, y + out, ORDER);
                    winner.intoMemorySegment(Memory.ALL, tap + out, ORDER);
                }
            }
        }

        static void maxGradient(long x, long step, long[] taps, int n, long dy, long dx, long count, long v, long c) {
            for (long p = 0; p < count; p++) {
                for (long i = 0; i < v; i += SPECIES.length()) {
                    long at = 4 * (p * step + i);
                    FloatVector best = load(x + at + 4 * taps[0]), winner = FloatVector.zero(SPECIES);
                    for (int t = 1; t < n; t++) {
                        FloatVector a = load(x + at + 4 * taps[t]);
                        var larger = a.compare(VectorOperators.GT, best);
                        best = best.blend(a, larger);
                        winner = winner.blend(FloatVector.broadcast(SPECIES, t), larger);
                    }
                    FloatVector g = load(dy + 4 * (p * c + i)), zero = FloatVector.zero(SPECIES);
                    for (int t = 0; t < n; t++) {
                        long to = dx + at + 4 * taps[t];
                        var mine = winner.compare(VectorOperators.EQ, FloatVector.broadcast(SPECIES, t));
                        load(to).add(zero.blend(g, mine)).intoMemorySegment(Memory.ALL, to, ORDER);
                    }
                }
            }
        }

        static void maxGradientOnce(
                long x, long step, long[] taps, int n, long dy, long dx, long count, long v, long c) {
            FloatVector zero = FloatVector.zero(SPECIES);
            for (long p = 0; p < count; p++) {
                for (long i = 0; i < v; i += SPECIES.length()) {
                    long at = 4 * (p * step + i);
                    FloatVector best = load(x + at + 4 * taps[0]), winner = zero;
                    for (int t = 1; t < n; t++) {
                        FloatVector a = load(x + at + 4 * taps[t]);
                        var larger = a.compare(VectorOperators.GT, best);
                        best = best.blend(a, larger);
                        winner = winner.blend(FloatVector.broadcast(SPECIES, t), larger);
                    }
                    FloatVector g = load(dy + 4 * (p * c + i)).add(zero);
                    for (int t = 0; t < n; t++) {
                        var mine = winner.compare(VectorOperators.EQ, FloatVector.broadcast(SPECIES, t));
                        zero.blend(g, mine).intoMemorySegment(Memory.ALL, dx + at + 4 * taps[t], ORDER);
                    }
                }
            }
        }

        /** {@link #maxGradientOnce} of four taps: who wins is known by masks, of which a later one takes from those before. */
        static void maxGradientOf4(long x, long step, long[] taps, long dy, long dx, long count, long v, long c) {
            long t0 = 4 * taps[0], t1 = 4 * taps[1], t2 = 4 * taps[2], t3 = 4 * taps[3];
            FloatVector zero = FloatVector.zero(SPECIES);
            for (long p = 0; p < count; p++) {
                for (long i = 0; i < v; i += SPECIES.length()) {
                    long at = 4 * (p * step + i), to = dx + at;
                    FloatVector best = load(x + at + t0), a1 = load(x + at + t1);
                    var second = a1.compare(VectorOperators.GT, best);
                    best = best.blend(a1, second);
                    FloatVector a2 = load(x + at + t2);
                    var third = a2.compare(VectorOperators.GT, best);
                    best = best.blend(a2, third);
                    var fourth = load(x + at + t3).compare(VectorOperators.GT, best);
                    FloatVector g = load(dy + 4 * (p * c + i)).add(zero);
                    zero.blend(g, fourth).intoMemorySegment(Memory.ALL, to + t3, ORDER);
                    g = g.blend(zero, fourth);
                    zero.blend(g, third).intoMemorySegment(Memory.ALL, to + t2, ORDER);
                    g = g.blend(zero, third);
                    zero.blend(g, second).intoMemorySegment(Memory.ALL, to + t1, ORDER);
                    g.blend(zero, second).intoMemorySegment(Memory.ALL, to + t0, ORDER);
                }
            }
        }

        static void mean(long x, long step, long[] taps, int n, long y, long count, long v, long c) {
            FloatVector by = FloatVector.broadcast(SPECIES, n);
            for (long p = 0; p < count; p++) {
                for (long i = 0; i < v; i += SPECIES.length()) {
                    long at = x + 4 * (p * step + i);
                    FloatVector sum = FloatVector.zero(SPECIES);
                    for (int t = 0; t < n; t++) sum = sum.add(load(at + 4 * taps[t]));
                    sum.div(by).intoMemorySegment(Memory.ALL, y + 4 * (p * c + i), ORDER);
                }
            }
        }

        static void meanGradient(long dx, long step, long[] taps, int n, long dy, long count, long v, long c) {
            FloatVector by = FloatVector.broadcast(SPECIES, n);
            for (long p = 0; p < count; p++) {
                for (long i = 0; i < v; i += SPECIES.length()) {
                    FloatVector part = load(dy + 4 * (p * c + i)).div(by);
                    for (int t = 0; t < n; t++) {
                        long to = dx + 4 * (p * step + i + taps[t]);
                        load(to).add(part).intoMemorySegment(Memory.ALL, to, ORDER);
                    }
                }
            }
        }
    }
}
