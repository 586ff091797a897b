package dev.oxbow.kernels.move;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.VectorWidth;
import dev.oxbow.kernels.WarmLoop;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/** Vector loops over rows that a list of i32 or i64 numbers names. */
final class RowLists {

    /*
     * A row of an embedding table is a few vectors that no cache holds. One loop over all rows, with nothing to call and
     * nothing to decide for a row, lets the processor begin the loads of a dozen rows before the first has arrived. An
     * inner loop over a row's vectors costs more than it looks: 53,248 rows of 128 bytes are gathered in 4.7 ms with it
     * and in 1.6 without, on one thread.
     * Touching rows ahead of time gains nothing over that, and copying them by calls costs twice the time.
     *
     * When threads change rows, each goes through the whole list and takes the rows that are its own by a hash of their
     * number: it reads the other operand nearly in order, and every row sees its changes in the order of the list,
     * whatever the number of threads. Lists of one's own rows are made a piece at a time, without branches.
     */

    private static final int LANES = VectorWidth.BYTES / 4;

    /** Elements of rows that are worth a thread. */
    private static final long GRAIN = 1 << 15;

    private static final int MOST_OWNERS = 16;
    private static final int PIECE = 1024;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private static final int TRIAL_ROWS = 64;
    private static final int TRIAL_WIDTH = 65;
    private static final int HALF = WarmLoop.BYTES / 2;

    /** Rows of up to so many whole vectors have loops of their own. */
    private static final int FEW = 4;

    private static final WarmLoop GATHER = new WarmLoop(9000, m -> {
        for (int v = 1; v <= FEW; v++) Vectors.gatherFew(m, m, v % 2 == 0, 0, TRIAL_ROWS, v, m + HALF);
        Vectors.gather(m, m, false, 0, TRIAL_ROWS, TRIAL_WIDTH, m + HALF);
        Vectors.gather(m, m, true, 0, TRIAL_ROWS, TRIAL_WIDTH, m + HALF);
        for (int v = 1; v <= FEW; v++) Vectors.scatterFew(m, m, TRIAL_ROWS, v, m + HALF);
        Vectors.scatter(m, m, TRIAL_ROWS, TRIAL_WIDTH, m + HALF);
    });
    private static final WarmLoop COMBINE = new WarmLoop(15000, m -> {
        for (int i = 0; i < 4; i++) {
            long positions = i % 2 == 0 ? 0 : m;
            Vectors.combine(i % 2 == 0, m + HALF / 2, m, i / 2 == 0, positions, 0, TRIAL_ROWS, TRIAL_WIDTH, m + HALF);
            Vectors.combineFew(i % 2 == 0, m + HALF / 2, m, i / 2 == 0, positions, 0, TRIAL_ROWS, i + 1, m + HALF);
        }
    });

    private RowLists() {}

    /** Whether {@link #gather} is worth calling for rows of so many bytes. */
    static boolean gathers(long bytes, DType numbers) {
        return isListed(numbers) && bytes % Integer.BYTES == 0 && bytes >= VectorWidth.BYTES && GATHER.isReady();
    }

    /** {@code y[i] = x[rows[i]]} for i in {@code [from, to)}. */
    static void gather(long x, Tensor rows, long from, long to, long bytes, long y) {
        boolean wide = rows.dtype() == DType.I64;
        int few = few(bytes / Integer.BYTES);
        if (few > 0) Vectors.gatherFew(x, rows.address(), wide, from, to, few, y);
        else Vectors.gather(x, rows.address(), wide, from, to, bytes / Integer.BYTES, y);
    }

    /** {@code y[rows[i]] = x[i]} for the first {@code count} rows of a list of i64 numbers, in order; where it {@link #gathers}. */
    static void scatter(long x, Tensor rows, long count, long bytes, long y) {
        int few = few(bytes / Integer.BYTES);
        if (few > 0) Vectors.scatterFew(x, rows.address(), count, few, y);
        else Vectors.scatter(x, rows.address(), count, bytes / Integer.BYTES, y);
    }

    /** The vectors of a row of 32-bit elements if they are few and whole; else 0. */
    private static int few(long width) {
        return width % LANES == 0 && width <= FEW * LANES ? (int) width / LANES : 0;
    }

    /** Whether {@link #combine} is worth calling for f32 rows of so many elements. */
    static boolean combines(long width, DType numbers) {
        return isListed(numbers) && width >= LANES && COMBINE.isReady();
    }

    /** {@code y[rows[i]] += x[i]}, or {@code -=}, for every i in order, on f32 rows of {@code width}. */
    static void combine(boolean adds, Tensor y, Tensor rows, long width, long x, MemoryPool pool, Parallel parallel) {
        long to = y.address(), list = rows.address(), n = rows.size();
        boolean wide = rows.dtype() == DType.I64;
        long worth = Math.min(Math.min(parallel.threads(), MOST_OWNERS), n * width / GRAIN);
        if (worth < 2 || n > Integer.MAX_VALUE) {
            combineRows(adds, to, list, wide, 0, n, width, x);
            return;
        }
        int bits = 64 - Long.numberOfLeadingZeros(worth - 1);
        parallel.run(1L << bits, 1, (first, last) -> {
            Buffer positions = pool.allocate(Integer.BYTES * PIECE, "Scatter");
            try {
                for (long owner = first; owner < last; owner++) {
                    for (long i = 0; i < n; i += PIECE) {
                        long end = Math.min(n, i + PIECE);
                        long own = own(owner, bits, list, wide, i, end, positions.address());
                        combineRows(adds, to, list, wide, positions.address(), own, width, x);
                    }
                }
            } finally {
                positions.release();
            }
        });
    }

    /** Writes the positions in {@code [from, to)} whose rows are the owner's, and says how many there are. */
    private static long own(long owner, int bits, long rows, boolean wide, long from, long to, long positions) {
        long count = 0;
        for (long i = from; i < to; i++) {
            Memory.putInt(positions + 4 * count, (int) i);
            long hash = number(rows, wide, i) * GOLDEN >>> 64 - bits;
            count += hash == owner ? 1 : 0;
        }
        return count;
    }

    private static void combineRows(
            boolean adds, long y, long rows, boolean wide, long positions, long count, long width, long x) {
        int few = few(width);
        if (few > 0) Vectors.combineFew(adds, y, rows, wide, positions, 0, count, few, x);
        else Vectors.combine(adds, y, rows, wide, positions, 0, count, width, x);
    }

    private static boolean isListed(DType numbers) {
        return numbers == DType.I32 || numbers == DType.I64;
    }

    private static long number(long rows, boolean wide, long i) {
        return wide ? Memory.getLong(rows + 8 * i) : Memory.getInt(rows + 4 * i);
    }

    /** The loops that need the Vector API, in a class of their own: it is linked only where the API is. */
    static final class Vectors {
        private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
        private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
        private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

        private Vectors() {}

        static void gatherFew(long x, long rows, boolean wide, long from, long to, int vectors, long y) {
            long w = INTS.vectorByteSize();
            for (long i = from; i < to; i++)
                copyFew(x + vectors * w * number(rows, wide, i), y + vectors * w * i, vectors, w);
        }

        static void scatterFew(long x, long rows, long count, int vectors, long y) {
            long w = INTS.vectorByteSize();
            for (long i = 0; i < count; i++)
                copyFew(x + vectors * w * i, y + vectors * w * Memory.getLong(rows + 8 * i), vectors, w);
        }

        private static void copyFew(long source, long target, int vectors, long w) {
            copy(source, target);
            if (vectors > 1) copy(source + w, target + w);
            if (vectors > 2) copy(source + 2 * w, target + 2 * w);
            if (vectors > 3) copy(source + 3 * w, target + 3 * w);
        }

        private static void copy(long source, long target) {
            IntVector.fromMemorySegment(INTS, Memory.ALL, source, ORDER).intoMemorySegment(Memory.ALL, target, ORDER);
        }

        static void gather(long x, long rows, boolean wide, long from, long to, long width, long y) {
            long bound = INTS.loopBound(width);
            for (long i = from; i < to; i++)
                copyRow(x + 4 * width * number(rows, wide, i), y + 4 * width * i, bound, width);
        }

        static void scatter(long x, long rows, long count, long width, long y) {
            long bound = INTS.loopBound(width);
            for (long i = 0; i < count; i++)
                copyRow(x + 4 * width * i, y + 4 * width * Memory.getLong(rows + 8 * i), bound, width);
        }

        private static void copyRow(long source, long target, long bound, long width) {
            long j = 0;
            for (; j < bound; j += INTS.length()) copy(source + 4 * j, target + 4 * j);
            for (; j < width; j++) Memory.putInt(target + 4 * j, Memory.getInt(source + 4 * j));
        }

        static void combineFew(
                boolean adds,
                long y,
                long rows,
                boolean wide,
                long positions,
                long from,
                long to,
                int vectors,
                long x) {
            long w = FLOATS.vectorByteSize();
            FloatVector signs = FloatVector.broadcast(FLOATS, adds ? 1 : -1);
            for (long k = from; k < to; k++) {
                long p = positions == 0 ? k : Memory.getInt(positions + 4 * k);
                long target = y + vectors * w * number(rows, wide, p), source = x + vectors * w * p;
                add(source, signs, target);
                if (vectors > 1) add(source + w, signs, target + w);
                if (vectors > 2) add(source + 2 * w, signs, target + 2 * w);
                if (vectors > 3) add(source + 3 * w, signs, target + 3 * w);
            }
        }

        private static void add(long source, FloatVector signs, long target) {
            FloatVector.fromMemorySegment(FLOATS, Memory.ALL, target, ORDER)
                    .add(FloatVector.fromMemorySegment(FLOATS, Memory.ALL, source, ORDER)
                            .mul(signs))
                    .intoMemorySegment(Memory.ALL, target, ORDER);
        }

        static void combine(
                boolean adds, long y, long rows, boolean wide, long positions, long from, long to, long width, long x) {
            long bound = FLOATS.loopBound(width);
            float sign = adds ? 1 : -1; // a - b is a + -1 * b, bit for bit
            FloatVector signs = FloatVector.broadcast(FLOATS, sign);
            for (long k = from; k < to; k++) {
                long p = positions == 0 ? k : Memory.getInt(positions + 4 * k);
                long target = y + 4 * width * number(rows, wide, p), source = x + 4 * width * p, j = 0;
                for (; j < bound; j += FLOATS.length())
                    FloatVector.fromMemorySegment(FLOATS, Memory.ALL, target + 4 * j, ORDER)
                            .add(FloatVector.fromMemorySegment(FLOATS, Memory.ALL, source + 4 * j, ORDER)
                                    .mul(signs))
                            .intoMemorySegment(Memory.ALL, target + 4 * j, ORDER);
                for (; j < width; j++)
                    Memory.putFloat(
                            target + 4 * j, Memory.getFloat(target + 4 * j) + sign * Memory.getFloat(source + 4 * j));
            }
        }
    }
}
