package dev.oxbow.kernels.numeric;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.kernels.move.NdIndex;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;

/** Rows of a tensor reduced by segment. */
public final class Segments {

    /** What is done with the rows of a segment. */
    public enum Kind {
        SUM(Combine.ADD),
        MEAN(Combine.ADD),
        /** The sum divided by the square root of the number of rows. */
        SQRT_N(Combine.ADD),
        PROD(Combine.MUL),
        MIN(Combine.MIN),
        MAX(Combine.MAX);

        final Combine combine;

        Kind(Combine combine) {
            this.combine = combine;
        }
    }

    private Segments() {}

    /**
     * Sorted ids: {@code y[s]} = the rows whose id is s. {@code indices}, unless null, picks the row of {@code x} for each id.
     * Empty segments get {@code empty}.
     */
    public static void sorted(
            Kind kind, Tensor x, Tensor indices, Tensor ids, double empty, Tensor y, MemoryPool pool) {
        long rows = y.shape().dim(0), n = ids.size();
        for (long i = 0; i < n; i++) {
            long id = ids.getLong(i);
            require(id >= 0, INVALID_ARGUMENT, "segment ids must be >= 0");
            require(i == 0 || id >= ids.getLong(i - 1), INVALID_ARGUMENT, "segment ids are not increasing");
            require(
                    id < rows,
                    INVALID_ARGUMENT,
                    "Segment id %d out of range [0, %d), possibly because segment_ids input is not sorted.",
                    id,
                    rows);
        }
        if (indices != null) {
            long bound = x.shape().dim(0);
            for (long i = 0; i < n; i++) {
                long at = indices.getLong(i);
                require(
                        at >= 0 && at < bound,
                        INVALID_ARGUMENT,
                        "Bad: indices[%d] == %d out of range [0, %d)",
                        i,
                        at,
                        bound);
            }
        }
        reduce(kind, x, indices, ids, empty, y, pool);
    }

    /**
     * Ids in any order, of any shape that {@code x} starts with; negative ones are dropped. Empty segments get {@code
     * empty}.
     */
    public static void unsorted(Kind kind, Tensor x, Tensor ids, double empty, Tensor y, MemoryPool pool) {
        long rows = y.shape().dim(0);
        for (long i = 0; i < ids.size(); i++) {
            long id = ids.getLong(i);
            if (id >= rows) {
                require(
                        false,
                        INVALID_ARGUMENT,
                        "segment_ids%s = %d is out of range [0, %d)",
                        NdIndex.position(ids.shape(), i),
                        id,
                        rows);
            }
        }
        reduce(kind, x, null, ids, empty, y, pool);
    }

    private static void reduce(
            Kind kind, Tensor x, Tensor indices, Tensor ids, double empty, Tensor y, MemoryPool pool) {
        if (y.size() == 0) return;
        try (Scratch s = new Scratch(pool, Parallel.SERIAL)) {
            Tensor in = s.widened(x), out = s.standIn(y);
            DType t = in.dtype();
            long rows = y.shape().dim(0), inner = y.size() / rows, w = t.size();
            long[] counts = new long[Math.toIntExact(rows)];
            for (long i = 0; i < ids.size(); i++) {
                long id = ids.getLong(i);
                if (id < 0) continue;
                long from = in.address() + (indices == null ? i : indices.getLong(i)) * inner * w,
                        to = out.address() + id * inner * w;
                (counts[(int) id]++ == 0 ? Combine.UPDATE : kind.combine).apply(t, to, from, inner);
            }
            for (int r = 0; r < rows; r++) {
                if (counts[r] == 0) fill(out, r * inner, inner, y.dtype(), empty);
                else if (counts[r] > 1 && (kind == Kind.MEAN || kind == Kind.SQRT_N))
                    divide(out, r * inner, inner, kind == Kind.MEAN ? counts[r] : Math.sqrt(counts[r]));
            }
            s.narrow(out, y);
        }
    }

    /** Infinities mean the largest and smallest finite values of the type. */
    private static void fill(Tensor y, long at, long n, DType type, double value) {
        for (long i = at; i < at + n; i++) {
            if (!Double.isInfinite(value)) y.set(i, value);
            else if (type.isInteger()) y.setLong(i, value > 0 ? highest(type) : lowest(type));
            else y.set(i, Math.signum(value) * largest(type));
        }
    }

    private static double largest(DType t) {
        return switch (t) {
            case F64, C128 -> Double.MAX_VALUE;
            case F16 -> 65504;
            case BF16 -> 0x1.fep127;
            default -> Float.MAX_VALUE;
        };
    }

    private static long highest(DType t) {
        int bits = 8 * t.size();
        return t.isUnsigned() ? (bits == 64 ? -1L : (1L << bits) - 1) : Long.MAX_VALUE >> 64 - bits;
    }

    private static long lowest(DType t) {
        return t.isUnsigned() ? 0 : Long.MIN_VALUE >> 64 - 8 * t.size();
    }

    private static void divide(Tensor y, long at, long n, double by) {
        for (long i = at; i < at + n; i++) {
            switch (y.dtype()) {
                case C64 -> {
                    Memory.putFloat(y.address() + 8 * i, (float) (Memory.getFloat(y.address() + 8 * i) / by));
                    Memory.putFloat(y.address() + 8 * i + 4, (float) (Memory.getFloat(y.address() + 8 * i + 4) / by));
                }
                case C128 -> {
                    Memory.putDouble(y.address() + 16 * i, Memory.getDouble(y.address() + 16 * i) / by);
                    Memory.putDouble(y.address() + 16 * i + 8, Memory.getDouble(y.address() + 16 * i + 8) / by);
                }
                default -> {
                    if (y.dtype().isInteger()) y.setLong(i, y.getLong(i) / (long) by);
                    else y.set(i, y.getDouble(i) / by);
                }
            }
        }
    }
}
