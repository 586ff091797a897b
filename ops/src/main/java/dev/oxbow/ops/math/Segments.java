package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Broadcast;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.kernels.move.NdIndex;
import dev.oxbow.kernels.move.RowGroups;
import dev.oxbow.kernels.move.Scatter;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.Fill;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.UnaryOperator;

/** What segment reductions share: rows combined by id, their checks, and their gradients. */
final class Segments {

    /** How rows of one segment become one row, and what segments without rows hold. */
    enum Kind {
        SUM(Combine.ADD),
        MEAN(Combine.ADD),
        SQRT_N(Combine.ADD),
        PROD(Combine.MUL),
        MIN(Combine.MIN),
        MAX(Combine.MAX);

        private final Combine combine;

        Kind(Combine combine) {
            this.combine = combine;
        }
    }

    private Segments() {}

    /** Rows follow from the last id, or from the input {@code count} where it is not negative. */
    static List<TensorType> inferSorted(InferenceContext c, int ids, int count) {
        Arguments.rank("segment_ids", c.shape(ids), 1);
        Arguments.atLeast("data", c.shape(0), 1);
        Shape x = c.shape(0);
        long rows = -1;
        if (count >= 0) {
            Arguments.scalar("num_segments", c.shape(count));
            long[] n = c.longs(count);
            rows = n == null ? -1 : n[0];
            require(n == null || rows >= 0, INVALID_ARGUMENT, "num_segments must be >= 0, got %d", rows);
        } else if (c.constant(ids) != null) {
            Tensor t = c.constant(ids);
            rows = t.size() == 0 ? 0 : t.getLong(t.size() - 1) + 1;
            require(rows >= 0, INVALID_ARGUMENT, "segment ids must be >= 0");
        }
        return List.of(c.input(0).withShape(x.isRankKnown() ? x.withDim(0, rows) : x));
    }

    static List<TensorType> inferUnsorted(InferenceContext c) {
        Shape x = c.shape(0), ids = c.shape(1);
        require(c.shape(2).rank() <= 0, INVALID_ARGUMENT, "num_segments should be a scalar, not shape %s", c.shape(2));
        long[] n = c.longs(2);
        require(
                n == null || n[0] >= 0,
                INVALID_ARGUMENT,
                "Input num_segments == %s must not be negative.",
                n == null ? "?" : n[0]);
        if (!x.isRankKnown() || !ids.isRankKnown()) return List.of(c.input(0).withShape(Shape.UNKNOWN));
        require(
                x.rank() >= ids.rank() && x.slice(0, ids.rank()).isCompatibleWith(ids),
                INVALID_ARGUMENT,
                "data.shape = %s does not start with segment_ids.shape = %s",
                x,
                ids);
        return List.of(c.input(0).withShape(Shape.of(n == null ? -1 : n[0]).concat(x.slice(ids.rank(), x.rank()))));
    }

    /** Sorted ids, one for each row of the first input; gaps are zero unless the number of segments is given. */
    static Kernel sorted(Kind kind) {
        return c -> {
            Tensor x = c.input(0), ids = c.input(1);
            require(
                    x.shape().dim(0) == ids.size(),
                    INVALID_ARGUMENT,
                    "segment_ids should be the same size as dimension 0 of input: %d vs. %d",
                    ids.size(),
                    x.shape().dim(0));
            checkSorted(ids, c.output(0).shape().dim(0), c.inputCount() > 2);
            reduce(c, kind, x, null, ids, c.inputCount() == 2);
        };
    }

    /** Ids in any order; rows with a negative id are left out. */
    static Kernel unsorted(Kind kind) {
        return c -> reduce(c, kind, c.input(0), null, c.input(1), false);
    }

    /** Rows of the first input picked by index, with sorted ids. */
    static Kernel sparse(Kind kind) {
        return c -> {
            Tensor indices = c.input(1), ids = c.input(2);
            require(
                    indices.size() == ids.size(),
                    INVALID_ARGUMENT,
                    "segment_ids and indices should have same size: %d vs. %d",
                    ids.size(),
                    indices.size());
            checkSorted(ids, c.output(0).shape().dim(0), c.inputCount() > 3);
            reduce(c, kind, c.input(0), indices, ids, true);
        };
    }

    private static void checkSorted(Tensor ids, long rows, boolean given) {
        long previous = 0;
        for (long i = 0; i < ids.size(); i++) {
            long id = ids.getLong(i);
            if (id >= previous && id < rows) {
                previous = id;
                continue;
            }
            require(ids.getLong(ids.size() - 1) >= 0, INVALID_ARGUMENT, "segment ids must be >= 0");
            require(id < 0 || id >= previous, INVALID_ARGUMENT, "segment ids are not increasing");
            require(id < 0 || !given, INVALID_ARGUMENT, "segment ids must be < num_segments: %d vs. %d", id, rows);
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "Segment id %d out of range [0, %d), possibly because 'segment_ids' input is not sorted."
                            .formatted(id, rows));
        }
    }

    private static void reduce(KernelContext c, Kind kind, Tensor x, Tensor indices, Tensor ids, boolean zeroGaps) {
        Tensor y = c.output(0);
        if (y.size() == 0) {
            checkIds(ids, y.shape().dim(0));
            return;
        }
        DType dtype = y.dtype();
        long rows = y.shape().dim(0), inner = y.size() / rows, width = inner * dtype.size();
        checkIds(ids, rows);
        if (indices != null) checkIndices(indices, x.shape().dim(0));
        initialise(c, kind, y);
        if (kind == Kind.SUM && indices == null && RowGroups.firstOutside(ids, 0, rows) < 0) {
            Scatter.rows(y, ids, x, Combine.ADD, c.memory(), c.parallel());
            return;
        }
        int[] counts = Counts.array(rows, int[]::new);
        long from = x.address(), to = y.address();
        try (RowGroups groups = RowGroups.of(ids, width, c.memory())) {
            groups.run(c.parallel(), (first, last) -> {
                for (long k = first; k < last; k++) {
                    long i = groups.position(k), id = groups.row(i);
                    if (id < 0) continue;
                    long row = from + (indices == null ? i : indices.getLong(i)) * width;
                    if (counts[(int) id]++ == 0 && kind.combine == Combine.ADD)
                        Memory.copy(row, to + id * width, width);
                    else kind.combine.apply(dtype, to + id * width, row, inner);
                }
            });
        }
        if (kind == Kind.MEAN || kind == Kind.SQRT_N) divide(c, kind, y, counts, inner);
        if (zeroGaps && (kind == Kind.MIN || kind == Kind.MAX))
            for (int r = 0; r < rows; r++) if (counts[r] == 0) Memory.zero(y.address() + r * width, width);
    }

    private static void checkIds(Tensor ids, long rows) {
        long bad = RowGroups.firstOutside(ids, Long.MIN_VALUE, rows);
        if (bad < 0) return;
        require(
                false,
                INVALID_ARGUMENT,
                "segment_ids%s = %d is out of range [0, %d)",
                NdIndex.position(ids.shape(), bad),
                ids.getLong(bad),
                rows);
    }

    private static void checkIndices(Tensor indices, long bound) {
        long bad = RowGroups.firstOutside(indices, 0, bound);
        if (bad < 0) return;
        require(false, INVALID_ARGUMENT, "indices[%d] == %d out of range [0, %d)", bad, indices.getLong(bad), bound);
    }

    private static void initialise(KernelContext c, Kind kind, Tensor y) {
        if (kind.combine == Combine.ADD) {
            c.parallel().run(y.byteSize(), 1 << 20, (from, to) -> Memory.zero(y.address() + from, to - from));
            return;
        }
        Tensor first = c.temporary(y.dtype(), Shape.SCALAR);
        if (kind == Kind.PROD) first.set(0, 1);
        else extreme(first, kind == Kind.MIN);
        Broadcast.fill(first, y, c.parallel());
        first.release();
    }

    /** Sets a scalar to the highest or lowest finite value of its dtype. */
    private static void extreme(Tensor t, boolean highest) {
        DType d = t.dtype();
        int bits = 8 * d.size();
        switch (d) {
            case F32 -> t.set(0, highest ? Float.MAX_VALUE : -Float.MAX_VALUE);
            case F64 -> t.set(0, highest ? Double.MAX_VALUE : -Double.MAX_VALUE);
            case F16 -> t.set(0, highest ? 65504 : -65504);
            case BF16 -> t.setLong(0, highest ? 0x7f7f : 0xff7f);
            default -> {
                if (d.isUnsigned()) t.setLong(0, highest ? -1 : 0);
                else t.setLong(0, highest ? -1L >>> 65 - bits : -1L << bits - 1);
            }
        }
    }

    private static void divide(KernelContext c, Kind kind, Tensor y, int[] counts, long inner) {
        long width = inner * y.dtype().size();
        c.parallel().run(counts.length, Math.max(1, (1 << 14) / Math.max(1, inner)), (from, to) -> {
            Tensor row = c.temporary(y.dtype(), Shape.of(inner));
            for (long r = from; r < to; r++) {
                int n = counts[(int) r];
                if (n <= 1) continue;
                double by = kind == Kind.MEAN ? n : Math.sqrt(n);
                if (y.dtype() == DType.F32) {
                    divide(y.address() + r * width, inner, (float) by);
                } else {
                    for (long i = 0; i < inner; i++) row.set(i, by);
                    Combine.DIV.apply(y.dtype(), y.address() + r * width, row.address(), inner);
                }
            }
            row.release();
        });
    }

    private static void divide(long y, long n, float by) {
        for (long i = 0; i < n; i++) Memory.putFloat(y + 4 * i, Memory.getFloat(y + 4 * i) / by);
    }

    /** {@code y[indices[i]] += scale(ids[i]) * dy[ids[i]]}: the gradient of a sparse segment reduction. */
    static void scatter(KernelContext c, Kind kind, Tensor dy, long[] targets, Tensor ids, Tensor y) {
        if (y.size() == 0 && ids.size() == 0) return;
        long segments = dy.shape().dim(0), rows = y.shape().dim(0);
        long inner = dy.shape().size(1, dy.shape().rank()),
                width = inner * y.dtype().size();
        int[] counts = Counts.array(segments, int[]::new);
        long used = targets.length == 0 ? 0 : ids.getLong(targets.length - 1) + 1; // sorted ids end with the largest
        require(
                used <= segments,
                INVALID_ARGUMENT,
                "Invalid number of segments: %d, the gradient has %d",
                used,
                segments);
        for (int i = 0; i < targets.length; i++) {
            long id = ids.getLong(i);
            require(id >= 0 && id < used, INVALID_ARGUMENT, "Segment id %d out of range [0, %d).", id, used);
            require(
                    targets[i] >= 0 && targets[i] < rows,
                    INVALID_ARGUMENT,
                    "Index %d out of range [0, %d).",
                    targets[i],
                    rows);
            counts[(int) id]++;
        }
        Tensor scaled = c.temporary(dy.dtype(), dy.shape());
        Memory.copy(dy.address(), scaled.address(), dy.byteSize());
        if (kind != Kind.SUM) divide(c, kind, scaled, counts, inner);
        Memory.zero(y.address(), y.byteSize());
        for (int i = 0; i < targets.length; i++)
            Combine.ADD.apply(
                    y.dtype(), y.address() + targets[i] * width, scaled.address() + ids.getLong(i) * width, inner);
        scaled.release();
    }

    /** {@code dx[i] = dy[ids[i]]}. */
    static Value pick(Value dy, Value ids) {
        return dy.gather(ids, 0);
    }

    /** Rows at {@code ids}, with zeros where the id is negative. */
    static Value pickPositive(Value rows, Value ids) {
        Value clipped = ids.maximum(ids.constantLike(0));
        Value picked = rows.gather(clipped, 0);
        return Value.where(positive(ids, picked), picked, picked.constantLike(0));
    }

    /** Whether ids are not negative, in a shape that broadcasts over rows. */
    private static Value positive(Value ids, Value rows) {
        Ops ops = ids.ops();
        Value one = ops.constant(DType.I32, 1), zero = ops.constant(DType.I32, 0);
        Value more = rows.runtimeRank().minus(ids.runtimeRank()).reshape(1);
        Value shape = Value.apply(new ConcatV2(), ids.runtimeShape(), Value.apply(new Fill(), more, one), zero);
        return ids.greaterEqual(ids.constantLike(0)).reshape(shape);
    }

    /** Gradient of minima and maxima: shared evenly by the rows that gave the value. */
    static Value share(Value x, Value y, Value dy, UnaryOperator<Value> sum, UnaryOperator<Value> pick) {
        Value chosen = x.equalTo(pick.apply(y));
        Value count = sum.apply(chosen.cast(dy.dtype()));
        Value each = pick.apply(dy.dividedBy(count));
        return Value.where(chosen, each, each.constantLike(0));
    }

    /** Gradient of products: dy times the product of the other rows, without dividing by zeros. */
    static Value others(
            Value x,
            Value y,
            Value dy,
            UnaryOperator<Value> sum,
            UnaryOperator<Value> product,
            UnaryOperator<Value> pick) {
        Value isZero = x.equalTo(x.constantLike(0));
        Value zeros = sum.apply(isZero.cast(DType.I32));
        Value kept = Value.where(zeros.greater(zeros.constantLike(1)), dy.constantLike(0), dy);
        Value nonZero = product.apply(Value.where(isZero, x.constantLike(1), x));
        Value partial = Value.where(isZero, pick.apply(nonZero), pick.apply(y).dividedBy(x));
        return pick.apply(kept).times(partial);
    }
}
