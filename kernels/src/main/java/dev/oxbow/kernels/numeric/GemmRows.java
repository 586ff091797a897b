package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Product;
import dev.oxbow.tensor.Memory;

/** Products of a few rows, where the matrix is read once and packing it would cost more than the product. */
final class GemmRows {
    private static final long COLUMNS = 256;

    private GemmRows() {}

    /** {@code C += op(A) * B}, adding multiples of rows of B to rows of C, in blocks of columns. */
    static void axpy(boolean useVectors, Product p, long a, long b, long c, Parallel parallel) {
        long m = p.m(), n = p.n(), k = p.k();
        int w = p.width();
        boolean fast = useVectors && RowVectors.isFast();
        long blocks = (n + COLUMNS - 1) / COLUMNS;
        parallel.run(blocks, Math.max(1, (1 << 17) / (COLUMNS * k * m)), (from, to) -> {
            for (long block = from; block < to; block++) {
                long j = block * COLUMNS, count = Math.min(COLUMNS, n - j);
                for (long i = 0; i < m; i++) {
                    long y = c + (i * p.strideC() + j) * w;
                    if (!p.accumulate()) Memory.zero(y, count * w);
                    for (long q = 0; q < k; q++) {
                        long x = b + (q * p.strideB() + j) * w;
                        double alpha = Gemm.get(w, a, i * p.rowA() + q * p.columnA());
                        if (fast) RowVectors.axpy(w, alpha, x, y, count);
                        else axpy(w, alpha, x, y, count);
                    }
                }
            }
        });
    }

    /** {@code C = A * B'}: every element is the dot product of two stored rows. */
    static void dot(boolean useVectors, Product p, long a, long b, long c, Parallel parallel) {
        long n = p.n(), k = p.k();
        int w = p.width();
        boolean fast = useVectors && RowVectors.isFast();
        int lanes = (useVectors ? RowVectors.vectorBytes() : TileScalar.LANE_BYTES) / w;
        parallel.run(p.m() * n, Math.max(1, (1 << 15) / k), (from, to) -> {
            for (long e = from; e < to; e++) {
                long i = e / n, j = e % n, at = i * p.strideC() + j;
                long x = a + i * p.strideA() * w, y = b + j * p.strideB() * w;
                double sum = fast ? RowVectors.dot(w, x, y, k) : dot(w, lanes, x, y, k);
                Gemm.put(w, c, at, p.accumulate() ? Gemm.get(w, c, at) + sum : sum);
            }
        });
    }

    /** The scalar twin of {@link RowVectors#axpy}. */
    static void axpy(int w, double alpha, long x, long y, long n) {
        if (w == 4) {
            float factor = (float) alpha;
            for (long i = 0; i < n; i++)
                Memory.putFloat(y + 4 * i, Math.fma(factor, Memory.getFloat(x + 4 * i), Memory.getFloat(y + 4 * i)));
        } else {
            for (long i = 0; i < n; i++)
                Memory.putDouble(y + 8 * i, Math.fma(alpha, Memory.getDouble(x + 8 * i), Memory.getDouble(y + 8 * i)));
        }
    }

    /** The scalar twin of {@link RowVectors#dot}: one sum for each lane, then the lanes in order, then the rest. */
    static double dot(int w, int lanes, long x, long y, long n) {
        double total = 0;
        long whole = n / lanes * lanes;
        if (whole > 0) {
            for (int lane = 0; lane < lanes; lane++)
                total += lane(w, lanes, x + (long) lane * w, y + (long) lane * w, whole / lanes);
        }
        for (long i = whole; i < n; i++) total += tail(w, x, y, i);
        return total;
    }

    private static double lane(int w, int lanes, long x, long y, long n) {
        if (w == 8) {
            double sum = 0;
            for (long i = 0; i < n; i++)
                sum = Math.fma(Memory.getDouble(x + 8 * i * lanes), Memory.getDouble(y + 8 * i * lanes), sum);
            return sum;
        }
        float sum = 0;
        for (long i = 0; i < n; i++)
            sum = Math.fma(Memory.getFloat(x + 4 * i * lanes), Memory.getFloat(y + 4 * i * lanes), sum);
        return sum;
    }

    static double tail(int w, long x, long y, long i) {
        if (w == 8) return Memory.getDouble(x + 8 * i) * Memory.getDouble(y + 8 * i);
        return Memory.getFloat(x + 4 * i) * Memory.getFloat(y + 4 * i);
    }
}
