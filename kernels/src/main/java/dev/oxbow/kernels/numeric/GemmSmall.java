package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.tensor.Memory;

/** Products of a few thousand multiplications, for which a call into a library or packing would cost more. */
final class GemmSmall {

    /*
     * Every element is one chain of fused multiplications and additions in the order of k, with and without vectors, so
     * that both give the same bits and the vectors can take over when they have become fast.
     */

    private GemmSmall() {}

    static void run(
            KernelLevel level,
            int w,
            boolean transposeA,
            boolean transposeB,
            long m,
            long n,
            long k,
            long a,
            long lda,
            long b,
            long ldb,
            long c,
            long ldc,
            boolean accumulate) {
        long aRow = transposeA ? 1 : lda, aStep = transposeA ? lda : 1;
        long bColumn = transposeB ? ldb : 1, bStep = transposeB ? 1 : ldb;
        if (w == 8) {
            doubles(m, n, k, a, aRow, aStep, b, bColumn, bStep, c, ldc, accumulate);
        } else if (n >= 4 && !transposeB && level.usesVectors() && SmallF32.isFast()) {
            SmallF32.run(m, n, k, a, aRow, aStep, b, ldb, c, ldc, accumulate);
        } else {
            floats(m, n, k, a, aRow, aStep, b, bColumn, bStep, c, ldc, accumulate);
        }
    }

    /** Four columns at a time, so that the processor has four chains to work on. */
    static void floats(
            long m,
            long n,
            long k,
            long a,
            long aRow,
            long aStep,
            long b,
            long bColumn,
            long bStep,
            long c,
            long ldc,
            boolean accumulate) {
        for (long i = 0; i < m; i++) {
            long from = a + 4 * i * aRow, to = c + 4 * i * ldc, j = 0;
            for (; j + 4 <= n; j += 4, to += 16) {
                float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
                long x = from, y0 = b + 4 * j * bColumn;
                long y1 = y0 + 4 * bColumn, y2 = y1 + 4 * bColumn, y3 = y2 + 4 * bColumn;
                for (long p = 0; p < k; p++, x += 4 * aStep) {
                    float xp = Memory.getFloat(x);
                    long at = 4 * p * bStep;
                    s0 = Math.fma(xp, Memory.getFloat(y0 + at), s0);
                    s1 = Math.fma(xp, Memory.getFloat(y1 + at), s1);
                    s2 = Math.fma(xp, Memory.getFloat(y2 + at), s2);
                    s3 = Math.fma(xp, Memory.getFloat(y3 + at), s3);
                }
                put(to, s0, accumulate);
                put(to + 4, s1, accumulate);
                put(to + 8, s2, accumulate);
                put(to + 12, s3, accumulate);
            }
            for (; j < n; j++, to += 4) {
                float s = 0;
                long y = b + 4 * j * bColumn;
                for (long p = 0; p < k; p++)
                    s = Math.fma(Memory.getFloat(from + 4 * p * aStep), Memory.getFloat(y + 4 * p * bStep), s);
                put(to, s, accumulate);
            }
        }
    }

    private static void put(long at, float x, boolean accumulate) {
        Memory.putFloat(at, accumulate ? Memory.getFloat(at) + x : x);
    }

    private static void doubles(
            long m,
            long n,
            long k,
            long a,
            long aRow,
            long aStep,
            long b,
            long bColumn,
            long bStep,
            long c,
            long ldc,
            boolean accumulate) {
        for (long i = 0; i < m; i++) {
            long from = a + 8 * i * aRow, to = c + 8 * i * ldc, j = 0;
            for (; j + 4 <= n; j += 4, to += 32) {
                double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
                long x = from, y0 = b + 8 * j * bColumn;
                long y1 = y0 + 8 * bColumn, y2 = y1 + 8 * bColumn, y3 = y2 + 8 * bColumn;
                for (long p = 0; p < k; p++, x += 8 * aStep) {
                    double xp = Memory.getDouble(x);
                    long at = 8 * p * bStep;
                    s0 = Math.fma(xp, Memory.getDouble(y0 + at), s0);
                    s1 = Math.fma(xp, Memory.getDouble(y1 + at), s1);
                    s2 = Math.fma(xp, Memory.getDouble(y2 + at), s2);
                    s3 = Math.fma(xp, Memory.getDouble(y3 + at), s3);
                }
                put(to, s0, accumulate);
                put(to + 8, s1, accumulate);
                put(to + 16, s2, accumulate);
                put(to + 24, s3, accumulate);
            }
            for (; j < n; j++, to += 8) {
                double s = 0;
                long y = b + 8 * j * bColumn;
                for (long p = 0; p < k; p++)
                    s = Math.fma(Memory.getDouble(from + 8 * p * aStep), Memory.getDouble(y + 8 * p * bStep), s);
                put(to, s, accumulate);
            }
        }
    }

    private static void put(long at, double x, boolean accumulate) {
        Memory.putDouble(at, accumulate ? Memory.getDouble(at) + x : x);
    }
}
