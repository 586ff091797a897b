package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.NativeLibrary.Multiplier;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Product;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;

/** Cuts a product into native calls, each on one thread. */
final class GemmNative {

    /*
     * C is cut into tiles of fixed height and width, each a native call of its own, so that the bits of a row depend
     * neither on threads nor on the rows beside it. A small C with a long k is cut along k instead: every piece has a sum
     * of its own, and they are added in order. All of this follows from the shape, by GemmLimits.
     *
     * A transposed A, the form of every weight gradient, is packed across its rows: tall tiles spare packing B again, and
     * where its rows lie a multiple of a page apart, k is walked in parts so that the lines in use stay in the cache. So
     * is a long k under few rows, for which B is read where it lies, again for every few rows. Where a multiplier is there
     * whose rows do not depend on each other, tiles of it may be taller. Tiles are even: a narrow one at the end costs as
     * much as a whole one, and leaves threads waiting.
     */

    private GemmNative() {}

    static void run(
            Multiplier library,
            boolean rowwise,
            Product p,
            long a,
            long b,
            long c,
            MemoryPool pool,
            Parallel parallel) {
        if (p.m() * p.n() <= GemmLimits.SMALL_C && p.k() >= GemmLimits.LONG_K) {
            alongK(library, p, a, b, c, pool, parallel);
            return;
        }
        GemmLimits.Tile tile = GemmLimits.tile(p, rowwise);
        long m = p.m(), n = p.n(), k = p.k(), height = tile.height(), width = tile.width(), part = tile.part();
        long across = (n + width - 1) / width, down = (m + height - 1) / height;
        long work = Math.min(m, height) * Math.min(n, width) * k;
        // the compiler would make a loop for each choice inside of the loop
        int w = p.width();
        long aRow = p.rowA() * w, aDeep = p.columnA() * w, bColumn = p.columnB() * w, bDeep = p.rowB() * w;
        parallel.run(across * down, Math.max(1, GemmLimits.WORTH_CUTTING / work), (from, to) -> {
            Product call = p;
            for (long piece = from; piece < to; piece++) {
                long i = piece / across * height, j = piece % across * width;
                for (long q = 0; q < k; q += part) {
                    boolean adds = p.accumulate() || q > 0;
                    call = call.part(Math.min(height, m - i), Math.min(width, n - j), Math.min(part, k - q), adds);
                    long aAt = a + i * aRow + q * aDeep, bAt = b + j * bColumn + q * bDeep;
                    library.run(call, aAt, bAt, c + (i * p.strideC() + j) * w);
                }
            }
        });
    }

    private static void alongK(
            Multiplier library, Product p, long a, long b, long c, MemoryPool pool, Parallel parallel) {
        long m = p.m(), n = p.n(), k = p.k();
        int w = p.width();
        long sums = Math.min(GemmLimits.MOST_SUMS, Math.max(2, p.work() / GemmLimits.PIECE));
        long depth = GemmLimits.even(k, sums), count = (k + depth - 1) / depth;
        Product apart = p.strided(p.strideA(), p.strideB(), n);
        Buffer partial = pool.allocate((count - 1) * m * n * w, "Gemm");
        try {
            parallel.run(count, 1, (from, to) -> {
                for (long s = from; s < to; s++) {
                    long q = s * depth;
                    library.run(
                            (s == 0 ? p : apart).part(m, n, Math.min(depth, k - q), s == 0 && p.accumulate()),
                            a + q * p.columnA() * w,
                            b + q * p.rowB() * w,
                            s == 0 ? c : partial.address() + (s - 1) * m * n * w);
                }
            });
            for (long s = 0; s < count - 1; s++)
                for (long i = 0; i < m; i++)
                    add(w, partial.address() + (s * m + i) * n * w, c + i * p.strideC() * w, n);
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
