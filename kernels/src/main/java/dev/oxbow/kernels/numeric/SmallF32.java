package dev.oxbow.kernels.numeric;

import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Small products of floats whose second matrix is not transposed: four rows by eight or four columns at a time. */
final class SmallF32 {
    private static final VectorSpecies<Float> EIGHT = FloatVector.SPECIES_256;
    private static final VectorSpecies<Float> FOUR = FloatVector.SPECIES_128;
    private static final boolean HAS_EIGHT = FloatVector.SPECIES_PREFERRED.length() >= 8;
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    /** Products before it is worth warming up. */
    private static final int FEW = 500;

    private static final Warmup FAST = new Warmup(FEW, 12 * 12 * 12 / 4 * 3, 3 * 4 * 144, at -> {
        run(12, 12, 12, at, 12, 1, at + 4 * 144, 12, at + 8 * 144, 12, false);
        run(5, 4, 7, at, 7, 1, at + 4 * 144, 4, at + 8 * 144, 4, true);
    });

    private SmallF32() {}

    /** Whether the JIT compiler has made this fast; until then it is slower than plain loops. */
    static boolean isFast() {
        return FAST.isDone();
    }

    static void run(
            long m,
            long n,
            long k,
            long a,
            long aRow,
            long aStep,
            long b,
            long ldb,
            long c,
            long ldc,
            boolean accumulate) {
        long j = 0;
        if (HAS_EIGHT)
            for (; j + 8 <= n; j += 8)
                eight(m, k, a, 4 * aRow, 4 * aStep, b + 4 * j, 4 * ldb, c + 4 * j, 4 * ldc, accumulate);
        for (; j + 4 <= n; j += 4)
            four(m, k, a, 4 * aRow, 4 * aStep, b + 4 * j, 4 * ldb, c + 4 * j, 4 * ldc, accumulate);
        if (j < n) GemmSmall.floats(m, n - j, k, a, aRow, aStep, b + 4 * j, 1, ldb, c + 4 * j, ldc, accumulate);
    }

    /** Rows {@code [0, m)} of eight columns. */
    private static void eight(
            long m, long k, long a, long aRow, long aStep, long b, long bStep, long c, long cStep, boolean add) {
        long i = 0;
        for (; i + 4 <= m; i += 4, a += 4 * aRow, c += 4 * cStep) {
            FloatVector s0 = FloatVector.zero(EIGHT), s1 = s0, s2 = s0, s3 = s0;
            long x = a, y = b;
            for (long p = 0; p < k; p++, x += aStep, y += bStep) {
                FloatVector yp = FloatVector.fromMemorySegment(EIGHT, Memory.ALL, y, ORDER);
                s0 = yp.fma(FloatVector.broadcast(EIGHT, Memory.getFloat(x)), s0);
                s1 = yp.fma(FloatVector.broadcast(EIGHT, Memory.getFloat(x + aRow)), s1);
                s2 = yp.fma(FloatVector.broadcast(EIGHT, Memory.getFloat(x + 2 * aRow)), s2);
                s3 = yp.fma(FloatVector.broadcast(EIGHT, Memory.getFloat(x + 3 * aRow)), s3);
            }
            store(EIGHT, s0, c, add);
            store(EIGHT, s1, c + cStep, add);
            store(EIGHT, s2, c + 2 * cStep, add);
            store(EIGHT, s3, c + 3 * cStep, add);
        }
        for (; i < m; i++, a += aRow, c += cStep) {
            FloatVector s = FloatVector.zero(EIGHT);
            long x = a, y = b;
            for (long p = 0; p < k; p++, x += aStep, y += bStep) {
                s = FloatVector.fromMemorySegment(EIGHT, Memory.ALL, y, ORDER)
                        .fma(FloatVector.broadcast(EIGHT, Memory.getFloat(x)), s);
            }
            store(EIGHT, s, c, add);
        }
    }

    /** Rows {@code [0, m)} of four columns. */
    private static void four(
            long m, long k, long a, long aRow, long aStep, long b, long bStep, long c, long cStep, boolean add) {
        long i = 0;
        for (; i + 4 <= m; i += 4, a += 4 * aRow, c += 4 * cStep) {
            FloatVector s0 = FloatVector.zero(FOUR), s1 = s0, s2 = s0, s3 = s0;
            long x = a, y = b;
            for (long p = 0; p < k; p++, x += aStep, y += bStep) {
                FloatVector yp = FloatVector.fromMemorySegment(FOUR, Memory.ALL, y, ORDER);
                s0 = yp.fma(FloatVector.broadcast(FOUR, Memory.getFloat(x)), s0);
                s1 = yp.fma(FloatVector.broadcast(FOUR, Memory.getFloat(x + aRow)), s1);
                s2 = yp.fma(FloatVector.broadcast(FOUR, Memory.getFloat(x + 2 * aRow)), s2);
                s3 = yp.fma(FloatVector.broadcast(FOUR, Memory.getFloat(x + 3 * aRow)), s3);
            }
            store(FOUR, s0, c, add);
            store(FOUR, s1, c + cStep, add);
            store(FOUR, s2, c + 2 * cStep, add);
            store(FOUR, s3, c + 3 * cStep, add);
        }
        for (; i < m; i++, a += aRow, c += cStep) {
            FloatVector s = FloatVector.zero(FOUR);
            long x = a, y = b;
            for (long p = 0; p < k; p++, x += aStep, y += bStep) {
                s = FloatVector.fromMemorySegment(FOUR, Memory.ALL, y, ORDER)
                        .fma(FloatVector.broadcast(FOUR, Memory.getFloat(x)), s);
            }
            store(FOUR, s, c, add);
        }
    }

    private static void store(VectorSpecies<Float> lanes, FloatVector x, long at, boolean add) {
        (add ? FloatVector.fromMemorySegment(lanes, Memory.ALL, at, ORDER).add(x) : x)
                .intoMemorySegment(Memory.ALL, at, ORDER);
    }
}
