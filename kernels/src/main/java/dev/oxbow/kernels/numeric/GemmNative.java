package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.NativeLibrary;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;

/** Cuts a product into native calls, each on one thread. */
final class GemmNative {

    /*
     * C is cut into tiles of Gemm.rowBlock rows and a fixed number of columns, each a native call of its own, so that
     * the bits of a row depend neither on threads nor on the rows beside it. A small C with a long k is cut along k
     * instead: every piece has a sum of its own, and they are added in order. All of this follows from the shape.
     *
     * A transposed A, the form of every weight gradient, is packed across its rows: tall tiles spare packing B again, and
     * where its rows lie a multiple of a page apart, k is walked in parts so that the lines in use stay in the cache
     * (1024 x 256 with k = 1024: 75 and 128 GFLOP/s). So is a long k under few rows, for which B is read where it lies,
     * again for every few rows (64 x 1024 with k = 3136: 137 and 200 GFLOP/s on two threads).
     *
     * Where a product is there whose rows do not depend on each other, tiles of it may be taller: 128 x 256 with a
     * transposed B and k = 1024, B coming from the shared cache, runs at 121 GFLOP/s in two calls and at 134 in one, and
     * at 103 in two calls of the other product.
     *
     * Tiles are even: a narrow one at the end costs as much as a whole one, and leaves threads waiting.
     */

    private static final long NARROW = 256;
    private static final long WIDE = 512;
    private static final long LEAST_WIDTH = 128;
    private static final long TALL = 256;
    private static final long TWO_BLOCKS = 2 * Gemm.SMALL_BLOCK;
    private static final long FEW = 4;
    private static final long SHALLOW = 64;
    private static final long PAGE = 4096;
    private static final long PART = 128;
    private static final long LONG_PART = 448;
    private static final long WORTH_PARTS = 1024;
    private static final long LARGE_C = 1 << 20;
    private static final long PIECE = 1 << 24;
    private static final long WORTH_CUTTING = 1 << 21;
    private static final long ALIGNMENT = 16;
    private static final long SMALL_C = 1 << 14;
    private static final long LONG_K = Gemm.LONG_K;
    private static final long MOST_SUMS = 16;
    private static final long LEAST_SIDE = 16;
    private static final long LEAST_WORK = 1 << 18;
    private static final long SMALL_B = 1 << 14;
    private static final long DEEP = 256;

    private GemmNative() {}

    static void run(
            NativeLibrary.Product product,
            boolean rowwise,
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
            boolean accumulate,
            MemoryPool pool,
            Parallel parallel) {
        if (m * n <= SMALL_C && k >= LONG_K) {
            alongK(product, w, transposeA, transposeB, m, n, k, a, lda, b, ldb, c, ldc, accumulate, pool, parallel);
            return;
        }
        long block = Gemm.rowBlock(n, k);
        long height = rowwise ? height(transposeA, m, n, block) : transposeA ? tall(m, n, k, block) : block;
        long part = rowwise || transposeB ? k : transposeA ? (lda * w % PAGE == 0 ? PART : k) : part(m, k, block);
        long width = rowwise && !transposeB ? even(n, Math.max(1, (n + WIDE / 2) / WIDE)) : width(m, n, k, block);
        long across = (n + width - 1) / width, down = (m + height - 1) / height;
        long work = Math.min(m, height) * Math.min(n, width) * k;
        // steps by row, by column and along k; the compiler would make a loop for each choice inside of the loop
        long aRow = (transposeA ? 1 : lda) * w, aDeep = (transposeA ? lda : 1) * w;
        long bColumn = (transposeB ? ldb : 1) * w, bDeep = (transposeB ? 1 : ldb) * w;
        parallel.run(across * down, Math.max(1, WORTH_CUTTING / work), (from, to) -> {
            for (long piece = from; piece < to; piece++) {
                long i = piece / across * height, j = piece % across * width;
                for (long p = 0; p < k; p += part) {
                    product.run(
                            transposeA,
                            transposeB,
                            Math.min(height, m - i),
                            Math.min(width, n - j),
                            Math.min(part, k - p),
                            a + i * aRow + p * aDeep,
                            lda,
                            b + j * bColumn + p * bDeep,
                            ldb,
                            c + (i * ldc + j) * w,
                            ldc,
                            accumulate || p > 0);
                }
            }
        });
    }

    /**
     * Whether the product whose rows do not depend on each other is the faster one: for small B, for few rows times a
     * large B, and where the sums are long enough to pay for packing a transposed operand. For whole blocks of rows it is
     * so for any number of them.
     */
    static boolean isBetterRowwise(boolean transposeA, boolean transposeB, long m, long n, long k) {
        if (Math.min(m, n) < LEAST_SIDE || k >= LONG_K || Math.min(m, Gemm.SMALL_BLOCK) * n * k < LEAST_WORK)
            return false;
        if (transposeA && transposeB) return false;
        if (!transposeA && isFew(m, Gemm.rowBlock(n, k))) return true;
        return n * k <= SMALL_B || transposeA && k >= DEEP || transposeB && k >= n;
    }

    /** Rows of a tile whose rows do not depend on each other: each call packs B, or reads it, anew. */
    private static long height(boolean transposeA, long m, long n, long block) {
        if (!transposeA) return Math.max(block, TWO_BLOCKS);
        return m * n >= FEW * TALL * NARROW ? even(m, (m + TALL - 1) / TALL) : TWO_BLOCKS;
    }

    /** Whether a large B is read for few rows. */
    private static boolean isFew(long m, long block) {
        return 2 * m < block && block > Gemm.SMALL_BLOCK;
    }

    /** How much of k a call takes where nothing is transposed. */
    private static long part(long m, long k, long block) {
        return isFew(m, block) && k > WORTH_PARTS ? even(k, (k + LONG_PART - 1) / LONG_PART) : k;
    }

    /** Rows of a tile under a transposed A: as many as leave a few tiles to share out. */
    private static long tall(long m, long n, long k, long block) {
        boolean worth = m * n >= (k > SHALLOW ? FEW * TALL * NARROW : LARGE_C);
        return worth && block < TALL ? even(m, (m + TALL - 1) / TALL) : block;
    }

    /** Columns of a tile. With less than a block of rows no other product must have its bits, so there it may be less. */
    private static long width(long m, long n, long k, long block) {
        if (block > Gemm.SMALL_BLOCK && n >= (m < block ? 4 : 2) * WIDE) return even(n, (n + WIDE / 2) / WIDE);
        boolean few = block == Gemm.SMALL_BLOCK && m < block;
        if (few && n > LEAST_WIDTH && n <= NARROW && m * n * k >= 2 * WORTH_CUTTING) return LEAST_WIDTH;
        return even(n, Math.max(1, (n + NARROW / 2) / NARROW));
    }

    /** The size of so many pieces of n elements, all but the last one whole vectors. */
    private static long even(long n, long pieces) {
        return ((n + pieces - 1) / pieces + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    private static void alongK(
            NativeLibrary.Product product,
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
            boolean accumulate,
            MemoryPool pool,
            Parallel parallel) {
        long sums = Math.min(MOST_SUMS, Math.max(2, m * n * k / PIECE));
        long depth = ((k + sums - 1) / sums + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, count = (k + depth - 1) / depth;
        Buffer partial = pool.allocate((count - 1) * m * n * w, "Gemm");
        try {
            parallel.run(count, 1, (from, to) -> {
                for (long s = from; s < to; s++) {
                    long p = s * depth;
                    product.run(
                            transposeA,
                            transposeB,
                            m,
                            n,
                            Math.min(depth, k - p),
                            a + (transposeA ? p * lda : p) * w,
                            lda,
                            b + (transposeB ? p : p * ldb) * w,
                            ldb,
                            s == 0 ? c : partial.address() + (s - 1) * m * n * w,
                            s == 0 ? ldc : n,
                            s == 0 && accumulate);
                }
            });
            for (long s = 0; s < count - 1; s++)
                for (long i = 0; i < m; i++) add(w, partial.address() + (s * m + i) * n * w, c + i * ldc * w, n);
        } finally {
            partial.release();
        }
    }

    private static void add(int w, long x, long y, long n) {
        if (w == 4)
            for (long i = 0; i < n; i++)
                Memory.putFloat(y + 4 * i, Memory.getFloat(y + 4 * i) + Memory.getFloat(x + 4 * i));
        else
            for (long i = 0; i < n; i++)
                Memory.putDouble(y + 8 * i, Memory.getDouble(y + 8 * i) + Memory.getDouble(x + 8 * i));
    }
}
