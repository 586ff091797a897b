package dev.oxbow.kernels.move;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Slices picked by index. */
public final class Gather {
    private static final long GRAIN = 1 << 14;

    private Gather() {}

    /**
     * {@code y[b, o, i, r] = x[b, o, indices[b, i], r]}: b runs over the first {@code batchDims} dimensions that x and
     * indices share, o up to {@code axis}, i over the rest of indices, r over what follows the axis.
     */
    public static void run(Tensor x, Tensor indices, int axis, int batchDims, Tensor y, Parallel parallel) {
        Shape s = x.shape();
        long batch = s.size(0, batchDims),
                outer = s.size(batchDims, axis),
                bound = s.dim(axis),
                inner = s.size(axis + 1, s.rank());
        long count = indices.shape().size(batchDims, indices.shape().rank());
        long bad = RowGroups.firstOutside(indices, 0, bound);
        if (bad >= 0) throw outside(indices.shape(), bad, indices.getLong(bad), bound);
        if (y.size() == 0) return;
        if (batch * outer == 1 && !x.dtype().isObject()) {
            int w = x.dtype().size();
            rows(x.address(), indices, inner * w, inner == 1 ? w : 0, y.address(), parallel);
            return;
        }
        Mover mover = Mover.between(x, y);
        parallel.run(batch * outer * count, Math.max(1, GRAIN / Math.max(1, inner)), (from, to) -> {
            for (long row = from; row < to; row++) {
                long i = row % count, bo = row / count, b = bo / outer;
                mover.move((bo * bound + indices.getLong(b * count + i)) * inner, 1, row * inner, 1, inner);
            }
        });
    }

    /**
     * {@code y[b, i] = x[b, indices[b, i, 0], indices[b, i, 1], ...]}: the last dimension of indices addresses x
     * after the batch dimensions.
     */
    public static void nd(Tensor x, Tensor indices, int batchDims, Tensor y, Parallel parallel) {
        Shape s = x.shape();
        int depth = Counts.toInt(indices.shape().dim(-1));
        long inner = s.size(batchDims + depth, s.rank());
        long rows = indices.shape().size(0, indices.shape().rank() - 1);
        long perBatch = indices.shape().size(batchDims, indices.shape().rank() - 1);
        long block = s.size(batchDims, s.rank());
        long[] offsets = NdIndex.offsets(indices, s.slice(batchDims, s.rank()), rows, depth, "param shape");
        if (y.size() == 0) return;
        Mover mover = Mover.between(x, y);
        parallel.run(rows, Math.max(1, GRAIN / Math.max(1, inner)), (from, to) -> {
            for (long row = from; row < to; row++) {
                mover.move(row / perBatch * block + offsets[(int) row], 1, row * inner, 1, inner);
            }
        });
    }

    /** {@code y[i] = x[indices[i]]} on rows of {@code bytes}; {@code width} is that of a row of one element, else 0. */
    private static void rows(long x, Tensor indices, long bytes, int width, long y, Parallel parallel) {
        long list = indices.address();
        int kind = RowGroups.kind(indices.dtype());
        boolean vectors = RowLists.gathers(bytes, indices.dtype());
        parallel.run(indices.size(), Math.max(1, 4 * GRAIN / bytes), (from, to) -> {
            if (vectors) {
                RowLists.gather(x, indices, from, to, bytes, y);
                return;
            }
            if (bytes == Integer.BYTES) {
                for (long i = from; i < to; i++)
                    Memory.putInt(y + 4 * i, Memory.getInt(x + 4 * RowGroups.number(list, kind, i)));
                return;
            }
            long seen = 0;
            for (long i = from; i < to; i++) {
                long at = x + RowGroups.number(list, kind, i) * bytes;
                long next = RowGroups.number(list, kind, Math.min(i + RowGroups.AHEAD, to - 1));
                seen |= RowGroups.touch(x + next * bytes, bytes);
                if (width == 0) Memory.copy(at, y + i * bytes, bytes);
                else Mover.bytes(width, at, width, y + i * bytes, width, 1);
            }
            RowGroups.keep(seen);
        });
    }

    private static OxbowException outside(Shape shape, long position, long index, long bound) {
        return new OxbowException(
                INVALID_ARGUMENT,
                "indices%s = %d is not in [0, %d)".formatted(NdIndex.position(shape, position), index, bound));
    }
}
