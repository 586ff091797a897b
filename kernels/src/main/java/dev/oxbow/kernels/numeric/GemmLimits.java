package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Product;

/** The tuned sizes of products, and what is decided by them. */
final class GemmLimits {

    /*
     * GFLOP/s are of a server core with AVX-512 and 1 to 2 MB of L2, one thread unless it says otherwise. A limit without
     * figures was set by the reason that it gives. All depend on shapes alone, never on threads, and rows of a product must
     * have the same bits in any multiple of a block: whoever changes a limit runs ProductTest.
     *
     *   shape (m x n, k)              limit                   measured, before and with it
     *   1024 x 1024, 1024             LARGE_BLOCK, LARGE_B    120-175 and 210-250, two threads: B is packed for each block
     *   1024 x 256, 1024, A' stored   TALL, PART, PAGE        75 and 128: A is packed across rows that lie pages apart
     *   64 x 1024, 3136               LONG_PART, WORTH_PARTS  137 and 200, two threads: B stays in the cache
     *   128 x 256, 1024, B' stored    TWO_BLOCKS              121 in two calls, 134 in one, 103 in two of sgemm
     *   few x 256, 128 x 512, 3136    LEAST_WIDTH             one thread and two: there was one tile
     *   16 x 16, 16                   TINY                    a native call takes 0.7 us for 32 x 32, 32
     */

    /** Multiplications up to which a call into a library, or packing, costs more than plain loops. */
    static final long TINY = 1 << 12;

    /** Rows of a native call, and of one whose B is large: then B is packed less often. */
    static final long SMALL_BLOCK = 64, LARGE_BLOCK = 512;

    /** Elements from which B is large: 4 MB of floats, beyond the cache of a core. */
    static final long LARGE_B = 1 << 20;

    /** From here a small C may be summed in parts along k, whose number depends on m; its elements and the most parts. */
    static final long LONG_K = 1 << 13, SMALL_C = 1 << 14, MOST_SUMS = 16;

    /** Multiplications of such a part, about a tenth of a millisecond. */
    static final long PIECE = 1 << 24;

    /** Columns of a tile, of one of a large B, and the least where few rows are shared out. */
    static final long NARROW = 256, WIDE = 512, LEAST_WIDTH = 128;

    /** Rows of a tile under a transposed A, which is packed across its rows. */
    static final long TALL = 256;

    /** Rows of a tile whose rows do not depend on each other. */
    static final long TWO_BLOCKS = 2 * SMALL_BLOCK;

    /** Tall tiles that there must be at least, so that threads have some to share. */
    static final long FEW = 4;

    /** Sums so short that tall tiles pay only for a C of a million elements: packing is then most of the work. */
    static final long SHALLOW = 64, LARGE_C = 1 << 20;

    /** Where stored rows of a transposed A lie a multiple of a page apart, k is walked in such parts: lines stay in L1. */
    static final long PAGE = 4096, PART = 128;

    /** A long k under few rows is walked in such parts, from this length on. */
    static final long LONG_PART = 448, WORTH_PARTS = 1024;

    /** Multiplications that are worth a task: some tens of microseconds, where waking a thread takes a few. */
    static final long WORTH_CUTTING = 1 << 21;

    /** Tiles and parts are multiples of the floats of a vector. */
    static final long ALIGNMENT = 16;

    /** The product whose rows do not depend on each other needs such sides and so many multiplications in a block. */
    static final long LEAST_SIDE = 16, LEAST_WORK = 1 << 18;

    /** It is the faster one for a B that stays in L1 and L2, and from such sums on for a transposed A. */
    static final long SMALL_B = 1 << 14, DEEP = 256;

    /** In Java: rows of a tile in registers; rows, steps of k and panels of a task, whose A fits half of an L2 cache. */
    static final int TILE_ROWS = 6;

    static final long ROWS = 96, DEPTH = 512, PANELS = 4;

    /** In Java: rows from which packing B is repaid, where it is not transposed. */
    static final long REPAYS_PACKING = 192;

    /** In Java: elements to pack, and multiplications, that are worth a task. */
    static final long PACKED_PER_TASK = 1 << 15, WORK_PER_TASK = 1 << 19;

    private GemmLimits() {}

    /** The rows of one native call. */
    static long rowBlock(long n, long k) {
        return n * k < LARGE_B ? SMALL_BLOCK : LARGE_BLOCK;
    }

    /** How much of each side a native call takes. */
    record Tile(long height, long width, long part) {}

    static Tile tile(Product p, boolean rowwise) {
        long block = rowBlock(p.n(), p.k());
        if (rowwise) {
            return new Tile(rowwiseHeight(p, block), p.transposeB() ? width(p, block) : rowwiseWidth(p, block), p.k());
        }
        if (p.transposeA()) {
            boolean crosses = !p.transposeB() && p.strideA() * p.width() % PAGE == 0;
            return new Tile(tallHeight(p, block), width(p, block), crosses ? PART : p.k());
        }
        boolean parts = !p.transposeB() && isFew(p.m(), block) && p.k() > WORTH_PARTS;
        long part = parts ? even(p.k(), (p.k() + LONG_PART - 1) / LONG_PART) : p.k();
        return new Tile(block, width(p, block), part);
    }

    /**
     * Whether the product whose rows do not depend on each other is the faster one: for small B, for few rows times a
     * large B, and where the sums are long enough to pay for packing a transposed operand. For whole blocks of rows it is
     * so for any number of them. It cannot add to C.
     */
    static boolean isBetterRowwise(Product p) {
        long m = p.m(), n = p.n(), k = p.k();
        if (p.accumulate() || Math.min(m, n) < LEAST_SIDE || k >= LONG_K) return false;
        if (Math.min(m, SMALL_BLOCK) * n * k < LEAST_WORK || p.transposeA() && p.transposeB()) return false;
        if (!p.transposeA() && isFew(m, rowBlock(n, k))) return true;
        return n * k <= SMALL_B || p.transposeA() && k >= DEEP || p.transposeB() && k >= n;
    }

    /** Whether a large B is read for few rows. */
    private static boolean isFew(long m, long block) {
        return 2 * m < block && block > SMALL_BLOCK;
    }

    /** Rows of a tile whose rows do not depend on each other: each call packs B, or reads it, anew. */
    private static long rowwiseHeight(Product p, long block) {
        if (!p.transposeA()) return Math.max(block, TWO_BLOCKS);
        return p.m() * p.n() >= FEW * TALL * NARROW ? even(p.m(), (p.m() + TALL - 1) / TALL) : TWO_BLOCKS;
    }

    /** Columns of such a tile: two where there would be one for all threads. */
    private static long rowwiseWidth(Product p, long block) {
        boolean shared = isFew(p.m(), block) && p.n() >= 2 * LEAST_WIDTH;
        return even(p.n(), Math.max(shared ? 2 : 1, (p.n() + WIDE / 2) / WIDE));
    }

    /** Rows of a tile under a transposed A: as many as leave a few tiles to share out. */
    private static long tallHeight(Product p, long block) {
        boolean worth = p.m() * p.n() >= (p.k() > SHALLOW ? FEW * TALL * NARROW : LARGE_C);
        return worth && block < TALL ? even(p.m(), (p.m() + TALL - 1) / TALL) : block;
    }

    /** Columns of a tile. With less than a block of rows no other product must have its bits, so there it may be less. */
    private static long width(Product p, long block) {
        long m = p.m(), n = p.n();
        if (block > SMALL_BLOCK && n >= (m < block ? 4 : 2) * WIDE) return even(n, (n + WIDE / 2) / WIDE);
        boolean few = block == SMALL_BLOCK && m < block;
        if (few && n > LEAST_WIDTH && n <= NARROW && p.work() >= 2 * WORTH_CUTTING) return LEAST_WIDTH;
        return even(n, Math.max(1, (n + NARROW / 2) / NARROW));
    }

    /** The size of so many pieces of n elements, all but the last one whole vectors. */
    static long even(long n, long pieces) {
        return ((n + pieces - 1) / pieces + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
