package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;

/** Products of a few rows, where the matrix is read once and packing it would cost more than the product. */
final class GemmRows {
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final long COLUMNS = 256;

    private GemmRows() {}

    /** {@code C += op(A) * B}, adding multiples of rows of B to rows of C, in blocks of columns. */
    static void axpy(
            int w,
            boolean transposeA,
            long m,
            long n,
            long k,
            long a,
            long lda,
            long b,
            long ldb,
            long c,
            long ldc,
            boolean accumulate,
            Parallel parallel) {
        long blocks = (n + COLUMNS - 1) / COLUMNS;
        parallel.run(blocks, Math.max(1, (1 << 17) / (COLUMNS * k * m)), (from, to) -> {
            for (long block = from; block < to; block++) {
                long j = block * COLUMNS, count = Math.min(COLUMNS, n - j);
                for (long i = 0; i < m; i++) {
                    long y = c + (i * ldc + j) * w;
                    if (!accumulate) Memory.zero(y, count * w);
                    for (long p = 0; p < k; p++) {
                        long at = transposeA ? p * lda + i : i * lda + p, x = b + (p * ldb + j) * w;
                        if (w == 4) axpyF32(Memory.getFloat(a + 4 * at), x, y, count);
                        else axpyF64(Memory.getDouble(a + 8 * at), x, y, count);
                    }
                }
            }
        });
    }

    /** {@code C = A * B'}: every element is the dot product of two stored rows. */
    static void dot(
            int w,
            long m,
            long n,
            long k,
            long a,
            long lda,
            long b,
            long ldb,
            long c,
            long ldc,
            boolean accumulate,
            Parallel parallel) {
        parallel.run(m * n, Math.max(1, (1 << 15) / k), (from, to) -> {
            for (long e = from; e < to; e++) {
                long i = e / n, j = e % n, x = a + i * lda * w, y = b + j * ldb * w, at = i * ldc + j;
                double sum = w == 4 ? dotF32(x, y, k) : dotF64(x, y, k);
                Gemm.put(w, c, at, accumulate ? Gemm.get(w, c, at) + sum : sum);
            }
        });
    }

    private static void axpyF32(float alpha, long x, long y, long n) {
        var lanes = TileF32.LANES;
        long i = 0;
        for (; i <= n - lanes.length(); i += lanes.length()) {
            FloatVector.fromMemorySegment(lanes, Memory.ALL, x + 4 * i, ORDER)
                    .fma(
                            FloatVector.broadcast(lanes, alpha),
                            FloatVector.fromMemorySegment(lanes, Memory.ALL, y + 4 * i, ORDER))
                    .intoMemorySegment(Memory.ALL, y + 4 * i, ORDER);
        }
        for (; i < n; i++)
            Memory.putFloat(y + 4 * i, Math.fma(alpha, Memory.getFloat(x + 4 * i), Memory.getFloat(y + 4 * i)));
    }

    private static void axpyF64(double alpha, long x, long y, long n) {
        var lanes = TileF64.LANES;
        long i = 0;
        for (; i <= n - lanes.length(); i += lanes.length()) {
            DoubleVector.fromMemorySegment(lanes, Memory.ALL, x + 8 * i, ORDER)
                    .fma(
                            DoubleVector.broadcast(lanes, alpha),
                            DoubleVector.fromMemorySegment(lanes, Memory.ALL, y + 8 * i, ORDER))
                    .intoMemorySegment(Memory.ALL, y + 8 * i, ORDER);
        }
        for (; i < n; i++)
            Memory.putDouble(y + 8 * i, Math.fma(alpha, Memory.getDouble(x + 8 * i), Memory.getDouble(y + 8 * i)));
    }

    private static double dotF32(long x, long y, long n) {
        var lanes = TileF32.LANES;
        long i = 0;
        FloatVector sum = FloatVector.zero(lanes);
        for (; i <= n - lanes.length(); i += lanes.length()) {
            sum = FloatVector.fromMemorySegment(lanes, Memory.ALL, x + 4 * i, ORDER)
                    .fma(FloatVector.fromMemorySegment(lanes, Memory.ALL, y + 4 * i, ORDER), sum);
        }
        double total = 0;
        // In lane order, since reduceLanes leaves the order open.
        for (float lane : sum.toArray()) total += lane;
        for (; i < n; i++) total += Memory.getFloat(x + 4 * i) * Memory.getFloat(y + 4 * i);
        return total;
    }

    private static double dotF64(long x, long y, long n) {
        var lanes = TileF64.LANES;
        long i = 0;
        DoubleVector sum = DoubleVector.zero(lanes);
        for (; i <= n - lanes.length(); i += lanes.length()) {
            sum = DoubleVector.fromMemorySegment(lanes, Memory.ALL, x + 8 * i, ORDER)
                    .fma(DoubleVector.fromMemorySegment(lanes, Memory.ALL, y + 8 * i, ORDER), sum);
        }
        double total = 0;
        for (double lane : sum.toArray()) total += lane;
        for (; i < n; i++) total += Memory.getDouble(x + 8 * i) * Memory.getDouble(y + 8 * i);
        return total;
    }
}
