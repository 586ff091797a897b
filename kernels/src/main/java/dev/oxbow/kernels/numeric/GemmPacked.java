package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.Product;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;

/** Matrix product in Java: both matrices are packed for a tile of C that stays in registers. */
final class GemmPacked {

    /*
     * After Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008). A is packed into strips of
     * six rows and B into panels of up to three vectors, k by k, so that the innermost tile reads both in order; where
     * few rows would not repay packing B, and it is not transposed, tiles read it in place. Tasks are blocks of ROWS x
     * PANELS of C; each walks k in steps of DEPTH, so that the part of A it uses stays in the L2 cache. The order of
     * additions to an element of C depends on k alone, so results do not depend on threads, nor on whether a tile of
     * vectors or its scalar twin made them.
     */

    private static final int TILE_ROWS = GemmLimits.TILE_ROWS;
    private static final long ROWS = GemmLimits.ROWS;
    private static final long DEPTH = GemmLimits.DEPTH;
    private static final long PANELS = GemmLimits.PANELS;

    /** Whether tiles are made of vectors; the layout is the same while they are not yet fast. */
    private final boolean fast;

    private final Product product;
    private final int width;
    private final long m;
    private final long n;
    private final long k;
    private final long strideC;
    private final int lanes;
    private final long panel;

    /** In place only whole panels can be read: a vector must not reach beyond its row. */
    private final long firstPacked;

    GemmPacked(boolean useVectors, Product p) {
        product = p;
        width = p.width();
        m = p.m();
        n = p.n();
        k = p.k();
        strideC = p.strideC();
        fast = useVectors && (width == 4 ? TileF32.isFast() : TileF64.isFast());
        lanes = !useVectors
                ? TileScalar.LANE_BYTES / width
                : width == 4 ? TileF32.LANES.length() : TileF64.LANES.length();
        panel = (long) lanes * (lanes * width >= 64 ? 3 : 2);
        firstPacked = !p.transposeB() && m < GemmLimits.REPAYS_PACKING ? n / panel : 0;
    }

    /** Where matrices lie: the packed A, B and what is packed of it, C, and room for a tile that is not whole. */
    private record Places(long a, long b, long packedB, long c, long edge) {}

    void run(long a, long b, long c, MemoryPool pool, Parallel parallel) {
        long strips = (m + TILE_ROWS - 1) / TILE_ROWS, panels = (n + panel - 1) / panel;
        long packedPanels = panels - firstPacked;
        Buffer packedA = pool.allocate(strips * TILE_ROWS * k * width, "Gemm");
        Buffer packedB = pool.allocate(Math.max(1, packedPanels * panel * k * width), "Gemm");
        try {
            long aAt = packedA.address(), bAt = packedB.address(), perTask = GemmLimits.PACKED_PER_TASK;
            parallel.run(strips, Math.max(1, perTask / (TILE_ROWS * k)), (from, to) -> {
                for (long s = from; s < to; s++) packA(a, s * TILE_ROWS, aAt + s * TILE_ROWS * k * width);
            });
            parallel.run(packedPanels, Math.max(1, perTask / (panel * k)), (from, to) -> {
                for (long p = from; p < to; p++) packB(b, (firstPacked + p) * panel, bAt + p * panel * k * width);
            });
            long rowBlocks = (m + ROWS - 1) / ROWS, columnBlocks = (panels + PANELS - 1) / PANELS;
            long work = Math.min(m, ROWS) * Math.min(n, PANELS * panel) * k;
            parallel.run(rowBlocks * columnBlocks, Math.max(1, GemmLimits.WORK_PER_TASK / work), (from, to) -> {
                Buffer edge = pool.allocate(TILE_ROWS * panel * width, "Gemm");
                try {
                    Places at = new Places(aAt, b, bAt, c, edge.address());
                    for (long task = from; task < to; task++) {
                        long first = task % columnBlocks * PANELS;
                        block(at, task / columnBlocks * ROWS, first, Math.min(panels, first + PANELS));
                    }
                } finally {
                    edge.release();
                }
            });
        } finally {
            packedA.release();
            packedB.release();
        }
    }

    /** Up to {@code ROWS} rows of some panels. */
    private void block(Places at, long row, long firstPanel, long lastPanel) {
        long end = Math.min(m, row + ROWS), strideB = product.strideB();
        for (long p = 0; p < k; p += DEPTH) {
            int depth = (int) Math.min(DEPTH, k - p);
            boolean add = product.accumulate() || p > 0;
            for (long j = firstPanel; j < lastPanel; j++) {
                boolean inPlace = j < firstPacked;
                long b = inPlace
                        ? at.b + (p * strideB + j * panel) * width
                        : at.packedB + ((j - firstPacked) * k + p) * panel * width;
                long bStep = (inPlace ? strideB : panel) * width, columns = Math.min(panel, n - j * panel);
                for (long i = row; i < end; i += TILE_ROWS) {
                    long a = at.a + (i * k + p * TILE_ROWS) * width, c = at.c + (i * strideC + j * panel) * width;
                    tile(a, b, bStep, depth, c, Math.min(TILE_ROWS, m - i), columns, add, at.edge);
                }
            }
        }
    }

    /** One tile of C; partial ones are computed beside it and copied or added element by element. */
    private void tile(
            long aAt, long bAt, long bStep, int depth, long cAt, long rows, long columns, boolean add, long edge) {
        int used = (int) ((columns + lanes - 1) / lanes);
        boolean whole = rows == TILE_ROWS && columns == (long) used * lanes;
        long to = whole ? cAt : edge, step = (whole ? strideC : panel) * width;
        boolean addHere = whole && add;
        if (!fast) {
            TileScalar.run(width, aAt, bAt, bStep, depth, to, step, used * lanes, addHere);
        } else if (width == 4) {
            switch (used) {
                case 1 -> TileF32.tile1(aAt, bAt, bStep, depth, to, step, addHere);
                case 2 -> TileF32.tile2(aAt, bAt, bStep, depth, to, step, addHere);
                default -> TileF32.tile3(aAt, bAt, bStep, depth, to, step, addHere);
            }
        } else {
            switch (used) {
                case 1 -> TileF64.tile1(aAt, bAt, bStep, depth, to, step, addHere);
                case 2 -> TileF64.tile2(aAt, bAt, bStep, depth, to, step, addHere);
                default -> TileF64.tile3(aAt, bAt, bStep, depth, to, step, addHere);
            }
        }
        if (whole) return;
        for (long i = 0; i < rows; i++) {
            for (long j = 0; j < columns; j++) {
                double x = get(edge, i * panel + j) + (add ? get(cAt, i * strideC + j) : 0);
                Gemm.put(width, cAt, i * strideC + j, x);
            }
        }
    }

    private double get(long base, long i) {
        return Gemm.get(width, base, i);
    }

    /** Six rows of op(A), k by k; rows beyond the last are zero. */
    private void packA(long a, long row, long to) {
        long stride = product.strideA();
        long count = Math.min(TILE_ROWS, m - row);
        if (count < TILE_ROWS) Memory.zero(to, k * TILE_ROWS * width);
        if (!product.transposeA()) {
            for (long r = 0; r < count; r++)
                spread(a + (row + r) * stride * width, to + r * width, TILE_ROWS * (long) width, k);
            return;
        }
        for (long q = 0; q < k; q++) {
            long from = a + (q * stride + row) * width, target = to + q * TILE_ROWS * width;
            if (width == 4) for (long r = 0; r < count; r++) Memory.putInt(target + 4 * r, Memory.getInt(from + 4 * r));
            else for (long r = 0; r < count; r++) Memory.putLong(target + 8 * r, Memory.getLong(from + 8 * r));
        }
    }

    /** A panel of columns of op(B), k by k; columns beyond the last are zero. */
    private void packB(long b, long column, long to) {
        long stride = product.strideB();
        long count = Math.min(panel, n - column);
        if (count < panel) Memory.zero(to, panel * k * width);
        if (!product.transposeB()) {
            for (long q = 0; q < k; q++)
                Memory.copy(b + (q * stride + column) * width, to + q * panel * width, count * width);
            return;
        }
        // Sixteen k at a time, so that the lines being read and written stay in L1.
        for (long q = 0; q < k; q += 16) {
            long depth = Math.min(16, k - q);
            for (long j = 0; j < count; j++) {
                spread(b + ((column + j) * stride + q) * width, to + (q * panel + j) * width, panel * width, depth);
            }
        }
    }

    private void spread(long from, long to, long step, long count) {
        if (width == 4) for (long q = 0; q < count; q++) Memory.putInt(to + q * step, Memory.getInt(from + 4 * q));
        else for (long q = 0; q < count; q++) Memory.putLong(to + q * step, Memory.getLong(from + 8 * q));
    }
}
