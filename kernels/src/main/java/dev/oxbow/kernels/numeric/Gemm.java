package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;

/** Matrix product of f32 or f64 matrices in row-major memory: {@code C = op(A) * op(B)} or {@code C += op(A) * op(B)}. */
public final class Gemm {

    /*
     * After Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008). C is cut into blocks of
     * ROWS x COLUMNS, which are the tasks. A task walks k in steps of DEPTH, packs its part of A so that the innermost
     * tile reads it in order, and runs tiles of 6 rows by up to three vectors. B is packed once for all tasks into
     * panels as wide as a tile; where few rows would not repay that, and B is not transposed, tiles read it in place.
     * The order of additions to an element of C depends on k alone, so results do not depend on threads.
     */

    private static final int TILE_ROWS = 6;
    private static final long ROWS = 96;
    private static final long DEPTH = 256;
    private static final long PANELS = 8;
    private static final long REPAYS_PACKING = 192;
    private static final long TINY = 1 << 12;

    private final int width;
    private final boolean transposeB;
    private final long m;
    private final long n;
    private final long k;
    private final long b;
    private final long ldb;
    private final int lanes;
    private final int vectors;
    private final long panel;

    private Gemm(int width, boolean transposeB, long m, long n, long k, long b, long ldb) {
        this.width = width;
        this.transposeB = transposeB;
        this.m = m;
        this.n = n;
        this.k = k;
        this.b = b;
        this.ldb = ldb;
        this.lanes = width == 4 ? TileF32.LANES.length() : TileF64.LANES.length();
        this.vectors = lanes * width >= 64 ? 3 : 2;
        this.panel = (long) lanes * vectors;
    }

    /**
     * Multiplies the m-by-k matrix op(A) with the k-by-n matrix op(B). {@code lda}, {@code ldb} and {@code ldc} are the
     * distances between stored rows in elements; a transposed operand is stored with k, or n, as its rows.
     */
    public static void run(
            DType dtype,
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
        if (m == 0 || n == 0) return;
        int w = dtype.size();
        if (k == 0 || m * n * k <= TINY) {
            simple(w, transposeA, transposeB, m, n, k, a, lda, b, ldb, c, ldc, accumulate);
            return;
        }
        if (m < 4 && !transposeB) {
            GemmRows.axpy(w, transposeA, m, n, k, a, lda, b, ldb, c, ldc, accumulate, parallel);
            return;
        }
        if (m < 4 || n < 4 && !transposeA) {
            if (transposeB && !transposeA) {
                GemmRows.dot(w, m, n, k, a, lda, b, ldb, c, ldc, accumulate, parallel);
                return;
            }
        }
        new Gemm(w, transposeB, m, n, k, b, ldb).run(transposeA, a, lda, c, ldc, accumulate, pool, parallel);
    }

    private void run(
            boolean transposeA,
            long a,
            long lda,
            long c,
            long ldc,
            boolean accumulate,
            MemoryPool pool,
            Parallel parallel) {
        long panels = (n + panel - 1) / panel;
        boolean direct = !transposeB && m < REPAYS_PACKING;
        // In place only whole panels can be read: a vector must not reach beyond its row.
        long firstPacked = direct ? n / panel : 0;
        Buffer packed =
                firstPacked == panels ? null : pool.allocate((panels - firstPacked) * panel * k * width, "Gemm");
        try {
            long packedAt = packed == null ? 0 : packed.address();
            if (packed != null) {
                parallel.run(panels - firstPacked, Math.max(1, (1 << 15) / (panel * k)), (from, to) -> {
                    for (long p = from; p < to; p++) packB(packedAt + p * panel * k * width, (firstPacked + p) * panel);
                });
            }
            long rowBlocks = (m + ROWS - 1) / ROWS, columnBlocks = (panels + PANELS - 1) / PANELS;
            long work = Math.min(m, ROWS) * Math.min(n, PANELS * panel) * k;
            parallel.run(rowBlocks * columnBlocks, Math.max(1, (1 << 18) / work), (from, to) -> {
                Buffer scratch = pool.allocate((ROWS * DEPTH + TILE_ROWS * panel) * width, "Gemm");
                try {
                    for (long task = from; task < to; task++) {
                        long row = task / columnBlocks * ROWS, first = task % columnBlocks * PANELS;
                        block(
                                transposeA,
                                a,
                                lda,
                                row,
                                Math.min(ROWS, m - row),
                                first,
                                Math.min(panels, first + PANELS),
                                firstPacked,
                                packedAt,
                                c,
                                ldc,
                                accumulate,
                                scratch.address());
                    }
                } finally {
                    scratch.release();
                }
            });
        } finally {
            if (packed != null) packed.release();
        }
    }

    private void block(
            boolean transposeA,
            long a,
            long lda,
            long row,
            long rows,
            long firstPanel,
            long lastPanel,
            long firstPacked,
            long packed,
            long c,
            long ldc,
            boolean accumulate,
            long scratch) {
        long edge = scratch + ROWS * DEPTH * width;
        for (long p = 0; p < k; p += DEPTH) {
            long depth = Math.min(DEPTH, k - p);
            packA(transposeA, a, lda, row, rows, p, depth, scratch);
            boolean add = accumulate || p > 0;
            for (long j = firstPanel; j < lastPanel; j++) {
                boolean inPlace = j < firstPacked;
                long bAt = inPlace
                        ? b + (p * ldb + j * panel) * width
                        : packed + ((j - firstPacked) * k + p) * panel * width;
                long bStep = (inPlace ? ldb : panel) * width;
                long columns = Math.min(panel, n - j * panel);
                for (long i = 0; i < rows; i += TILE_ROWS) {
                    long aAt = scratch + i * depth * width, cAt = c + ((row + i) * ldc + j * panel) * width;
                    tile(aAt, bAt, bStep, depth, cAt, ldc, Math.min(TILE_ROWS, rows - i), columns, add, edge);
                }
            }
        }
    }

    /** One tile of C; partial ones are computed beside it and copied or added element by element. */
    private void tile(
            long aAt,
            long bAt,
            long bStep,
            long depth,
            long cAt,
            long ldc,
            long rows,
            long columns,
            boolean add,
            long edge) {
        int used = (int) ((columns + lanes - 1) / lanes);
        boolean whole = rows == TILE_ROWS && columns == (long) used * lanes;
        long to = whole ? cAt : edge, step = (whole ? ldc : panel) * width;
        boolean addHere = whole && add;
        if (width == 4) {
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
                double x = get(edge, i * panel + j) + (add ? get(cAt, i * ldc + j) : 0);
                put(width, cAt, i * ldc + j, x);
            }
        }
    }

    private double get(long base, long i) {
        return get(width, base, i);
    }

    /** Rows [row, row + rows) and columns [p, p + depth) of op(A) in groups of six rows, k by k; missing rows are zero. */
    private void packA(boolean transposeA, long a, long lda, long row, long rows, long p, long depth, long to) {
        for (long i = 0; i < rows; i += TILE_ROWS) {
            long count = Math.min(TILE_ROWS, rows - i), at = to + i * depth * width;
            if (count < TILE_ROWS) Memory.zero(at, depth * TILE_ROWS * width);
            if (transposeA) {
                for (long q = 0; q < depth; q++) {
                    long from = a + ((p + q) * lda + row + i) * width, target = at + q * TILE_ROWS * width;
                    if (width == 4)
                        for (long r = 0; r < count; r++) Memory.putInt(target + 4 * r, Memory.getInt(from + 4 * r));
                    else for (long r = 0; r < count; r++) Memory.putLong(target + 8 * r, Memory.getLong(from + 8 * r));
                }
            } else {
                for (long r = 0; r < count; r++) {
                    spread(a + ((row + i + r) * lda + p) * width, at + r * width, TILE_ROWS * (long) width, depth);
                }
            }
        }
    }

    /** Columns [column, column + panel) of op(B), k by k; missing columns are zero. */
    private void packB(long to, long column) {
        long count = Math.min(panel, n - column);
        if (count < panel) Memory.zero(to, panel * k * width);
        if (!transposeB) {
            for (long q = 0; q < k; q++)
                Memory.copy(b + (q * ldb + column) * width, to + q * panel * width, count * width);
            return;
        }
        // Sixteen k at a time, so that the lines of B being read and of the panel being written stay in L1.
        for (long q = 0; q < k; q += 16) {
            long depth = Math.min(16, k - q);
            for (long j = 0; j < count; j++) {
                spread(b + ((column + j) * ldb + q) * width, to + (q * panel + j) * width, panel * width, depth);
            }
        }
    }

    private void spread(long from, long to, long step, long count) {
        if (width == 4) for (long q = 0; q < count; q++) Memory.putInt(to + q * step, Memory.getInt(from + 4 * q));
        else for (long q = 0; q < count; q++) Memory.putLong(to + q * step, Memory.getLong(from + 8 * q));
    }

    private static void simple(
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
        for (long i = 0; i < m; i++) {
            for (long j = 0; j < n; j++) {
                double sum = 0;
                for (long p = 0; p < k; p++) {
                    sum += get(w, a, transposeA ? p * lda + i : i * lda + p)
                            * get(w, b, transposeB ? j * ldb + p : p * ldb + j);
                }
                put(w, c, i * ldc + j, accumulate ? get(w, c, i * ldc + j) + sum : sum);
            }
        }
    }

    static double get(int width, long base, long i) {
        return width == 4 ? Memory.getFloat(base + 4 * i) : Memory.getDouble(base + 8 * i);
    }

    static void put(int width, long base, long i, double x) {
        if (width == 4) Memory.putFloat(base + 4 * i, (float) x);
        else Memory.putDouble(base + 8 * i, x);
    }
}
