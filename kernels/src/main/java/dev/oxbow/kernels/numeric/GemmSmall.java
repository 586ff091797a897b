package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.kernels.Product;
import dev.oxbow.tensor.Memory;

/** Products of a few thousand multiplications, for which a call into a library or packing would cost more. */
final class GemmSmall {

    /*
     * Every element is one chain of fused multiplications and additions in the order of k, with and without vectors, so
     * that both give the same bits and the vectors can take over when they have become fast.
     */

    private GemmSmall() {}

    static void run(KernelLevel level, Product p, long a, long b, long c) {
        if (p.width() == 8) doubles(p, a, b, c);
        else if (p.n() >= 4 && !p.transposeB() && level.usesVectors() && SmallF32.isFast()) SmallF32.run(p, a, b, c);
        else floats(p, a, b, c, 0);
    }

    /** Columns from {@code first} on, four at a time, so that the processor has four chains to work on. */
    static void floats(Product p, long a, long b, long c, long first) {
        long m = p.m(), n = p.n(), k = p.k(), ldc = p.strideC();
        long aRow = p.rowA(), aStep = p.columnA(), bColumn = p.columnB(), bStep = p.rowB();
        boolean accumulate = p.accumulate();
        for (long i = 0; i < m; i++) {
            long from = a + 4 * i * aRow, j = first, to = c + 4 * (i * ldc + j);
            for (; j + 4 <= n; j += 4, to += 16) {
                float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
                long x = from, y0 = b + 4 * j * bColumn;
                long y1 = y0 + 4 * bColumn, y2 = y1 + 4 * bColumn, y3 = y2 + 4 * bColumn;
                for (long q = 0; q < k; q++, x += 4 * aStep) {
                    float xq = Memory.getFloat(x);
                    long at = 4 * q * bStep;
                    s0 = Math.fma(xq, Memory.getFloat(y0 + at), s0);
                    s1 = Math.fma(xq, Memory.getFloat(y1 + at), s1);
                    s2 = Math.fma(xq, Memory.getFloat(y2 + at), s2);
                    s3 = Math.fma(xq, Memory.getFloat(y3 + at), s3);
                }
                put(to, s0, accumulate);
                put(to + 4, s1, accumulate);
                put(to + 8, s2, accumulate);
                put(to + 12, s3, accumulate);
            }
            for (; j < n; j++, to += 4) {
                float s = 0;
                long y = b + 4 * j * bColumn;
                for (long q = 0; q < k; q++)
                    s = Math.fma(Memory.getFloat(from + 4 * q * aStep), Memory.getFloat(y + 4 * q * bStep), s);
                put(to, s, accumulate);
            }
        }
    }

    private static void put(long at, float x, boolean accumulate) {
        Memory.putFloat(at, accumulate ? Memory.getFloat(at) + x : x);
    }

    private static void doubles(Product p, long a, long b, long c) {
        long m = p.m(), n = p.n(), k = p.k(), ldc = p.strideC();
        long aRow = p.rowA(), aStep = p.columnA(), bColumn = p.columnB(), bStep = p.rowB();
        boolean accumulate = p.accumulate();
        for (long i = 0; i < m; i++) {
            long from = a + 8 * i * aRow, to = c + 8 * i * ldc, j = 0;
            for (; j + 4 <= n; j += 4, to += 32) {
                double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
                long x = from, y0 = b + 8 * j * bColumn;
                long y1 = y0 + 8 * bColumn, y2 = y1 + 8 * bColumn, y3 = y2 + 8 * bColumn;
                for (long q = 0; q < k; q++, x += 8 * aStep) {
                    double xq = Memory.getDouble(x);
                    long at = 8 * q * bStep;
                    s0 = Math.fma(xq, Memory.getDouble(y0 + at), s0);
                    s1 = Math.fma(xq, Memory.getDouble(y1 + at), s1);
                    s2 = Math.fma(xq, Memory.getDouble(y2 + at), s2);
                    s3 = Math.fma(xq, Memory.getDouble(y3 + at), s3);
                }
                put(to, s0, accumulate);
                put(to + 8, s1, accumulate);
                put(to + 16, s2, accumulate);
                put(to + 24, s3, accumulate);
            }
            for (; j < n; j++, to += 8) {
                double s = 0;
                long y = b + 8 * j * bColumn;
                for (long q = 0; q < k; q++)
                    s = Math.fma(Memory.getDouble(from + 8 * q * aStep), Memory.getDouble(y + 8 * q * bStep), s);
                put(to, s, accumulate);
            }
        }
    }

    private static void put(long at, double x, boolean accumulate) {
        Memory.putDouble(at, accumulate ? Memory.getDouble(at) + x : x);
    }
}
