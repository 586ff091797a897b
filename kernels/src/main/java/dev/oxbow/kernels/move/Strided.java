package dev.oxbow.kernels.move;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/**
 * The copy behind most movers: {@code to[at + sum(i * strides)] = from[fromAt + sum(i * fromStrides)]} for all i
 * below sizes.
 */
public final class Strided {

    /*
     * Dimensions of size 1 go, the rest are ordered by target stride so that writes stream, and neighbours that are
     * contiguous on both sides become one. What is left is an outer odometer around runs: a memory copy, a fill, a
     * strided loop, or, where another dimension is contiguous in the source, square tiles so that each cache line
     * fetched is used whole.
     */

    private static final int TILE = 32;
    private static final long BLOCK = 1 << 16;
    private static final long GRAIN = 1 << 15;

    private Strided() {}

    /** Row-major strides, in elements. */
    public static long[] strides(long... dims) {
        long[] s = new long[dims.length];
        long n = 1;
        for (int i = dims.length - 1; i >= 0; i--) {
            s[i] = n;
            n *= dims[i];
        }
        return s;
    }

    /** Offsets and strides count elements; strides may be negative, and 0 on the source side to repeat. */
    public static void copy(
            Tensor from,
            long fromAt,
            long[] fromStrides,
            Tensor to,
            long at,
            long[] strides,
            long[] sizes,
            Parallel parallel) {
        for (long n : sizes) if (n == 0) return;
        Loop loop = Loop.of(fromStrides, strides, sizes);
        Mover mover = Mover.between(from, to);
        int across = loop.contiguousSource();
        if (loop.rank == 0) mover.move(fromAt, 1, at, 1, 1);
        else if (across < 0) runs(mover, fromAt, at, loop, parallel);
        else tiles(mover, fromAt, at, loop, across, parallel);
    }

    private static void runs(Mover mover, long fromAt, long at, Loop loop, Parallel parallel) {
        int inner = loop.rank - 1;
        long n = loop.size[inner], fromStep = loop.from[inner], step = loop.to[inner];
        long blocks = (n + BLOCK - 1) / BLOCK;
        long rows = 1;
        for (int d = 0; d < inner; d++) rows *= loop.size[d];
        parallel.run(rows * blocks, Math.max(1, GRAIN / Math.min(n, BLOCK)), (first, last) -> {
            Odometer o = new Odometer(loop, inner, first / blocks);
            long block = first % blocks;
            for (long item = first; item < last; item++) {
                long start = block * BLOCK, length = Math.min(BLOCK, n - start);
                mover.move(fromAt + o.from + start * fromStep, fromStep, at + o.to + start * step, step, length);
                if (++block == blocks) {
                    block = 0;
                    o.next();
                }
            }
        });
    }

    private static void tiles(Mover mover, long fromAt, long at, Loop whole, int across, Parallel parallel) {
        int r = whole.rank;
        Loop loop = whole.movedToEnd(across);
        long n = loop.size[r - 2], m = loop.size[r - 1], fromStep = loop.from[r - 1], step = loop.to[r - 1];
        long tilesN = (n + TILE - 1) / TILE, tilesM = (m + TILE - 1) / TILE;
        long rows = 1;
        for (int d = 0; d < r - 2; d++) rows *= loop.size[d];
        parallel.run(rows * tilesM * tilesN, Math.max(1, GRAIN / (TILE * TILE)), (first, last) -> {
            Odometer o = new Odometer(loop, r - 2, first / (tilesN * tilesM));
            long tile = first % (tilesN * tilesM);
            for (long item = first; item < last; item++) {
                long j0 = tile / tilesN * TILE, i0 = tile % tilesN * TILE;
                long width = Math.min(TILE, m - j0), height = Math.min(TILE, n - i0);
                long f = fromAt + o.from + i0 + j0 * fromStep, t = at + o.to + i0 * loop.to[r - 2] + j0 * step;
                if (step == 1) {
                    mover.transpose(f, fromStep, t, loop.to[r - 2], height, width);
                } else {
                    for (long i = 0; i < height; i++) mover.move(f + i, fromStep, t + i * loop.to[r - 2], step, width);
                }
                if (++tile == tilesN * tilesM) {
                    tile = 0;
                    o.next();
                }
            }
        });
    }

    /** The loop nest after simplification, outermost first. */
    private static final class Loop {
        final int rank;
        final long[] from;
        final long[] to;
        final long[] size;

        private Loop(int rank, long[] from, long[] to, long[] size) {
            this.rank = rank;
            this.from = from;
            this.to = to;
            this.size = size;
        }

        static Loop of(long[] from, long[] to, long[] size) {
            int[] order = new int[size.length];
            int n = 0;
            for (int d = 0; d < size.length; d++) {
                if (size[d] == 1) continue;
                int p = n++;
                for (; p > 0 && Math.abs(to[order[p - 1]]) < Math.abs(to[d]); p--) order[p] = order[p - 1];
                order[p] = d;
            }
            long[] f = new long[n], t = new long[n], s = new long[n];
            int r = 0;
            for (int k = 0; k < n; k++) {
                int d = order[k];
                if (r > 0 && f[r - 1] == from[d] * size[d] && t[r - 1] == to[d] * size[d]) {
                    s[r - 1] *= size[d];
                    f[r - 1] = from[d];
                    t[r - 1] = to[d];
                } else {
                    s[r] = size[d];
                    f[r] = from[d];
                    t[r++] = to[d];
                }
            }
            return new Loop(r, Arrays.copyOf(f, r), Arrays.copyOf(t, r), Arrays.copyOf(s, r));
        }

        /** The dimension worth tiling against the innermost one, or -1. */
        int contiguousSource() {
            if (rank < 2 || Math.abs(from[rank - 1]) <= 1) return -1;
            for (int d = 0; d < rank - 1; d++) if (from[d] == 1 && size[d] >= 4) return d;
            return -1;
        }

        /** With {@code d} second to last. */
        Loop movedToEnd(int d) {
            return new Loop(rank, moved(from, d), moved(to, d), moved(size, d));
        }

        private long[] moved(long[] a, int d) {
            long[] b = a.clone();
            System.arraycopy(a, d + 1, b, d, rank - 2 - d);
            b[rank - 2] = a[d];
            return b;
        }
    }

    /** Walks the outer dimensions and keeps both offsets. */
    private static final class Odometer {
        private final Loop loop;
        private final int rank;
        private final long[] index;
        long from;
        long to;

        Odometer(Loop loop, int rank, long row) {
            this.loop = loop;
            this.rank = rank;
            this.index = new long[rank];
            for (int d = rank - 1; d >= 0; d--) {
                index[d] = row % loop.size[d];
                row /= loop.size[d];
                from += index[d] * loop.from[d];
                to += index[d] * loop.to[d];
            }
        }

        void next() {
            for (int d = rank - 1; d >= 0; d--) {
                from += loop.from[d];
                to += loop.to[d];
                if (++index[d] < loop.size[d]) return;
                from -= index[d] * loop.from[d];
                to -= index[d] * loop.to[d];
                index[d] = 0;
            }
        }
    }
}
