package dev.oxbow.kernels.move;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** Slices written or combined in place; changes of one slice come one after the other, in the order of the indices. */
public final class Scatter {
    private Scatter() {}

    /**
     * {@code y[indices[i]] op= updates[i]} on slices of the first dimension; a single-element {@code updates} serves
     * every i.
     */
    public static void rows(Tensor y, Tensor indices, Tensor updates, Combine op, MemoryPool pool, Parallel parallel) {
        long bound = y.shape().dim(0), inner = y.shape().size(1, y.shape().rank()), n = indices.size();
        long bad = RowGroups.firstOutside(indices, 0, bound);
        if (bad >= 0) {
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "indices%s = %d is not in [0, %d)"
                            .formatted(NdIndex.position(indices.shape(), bad), indices.getLong(bad), bound));
        }
        boolean scalar = updates.shape().rank() == 0 && n * inner != 1;
        if (!scalar) checkUpdates(updates, n, inner);
        if (y.dtype().isObject() || scalar) {
            for (long i = 0; i < n; i++) {
                long at = indices.getLong(i) * inner;
                if (!scalar) combine(y, at, updates, i * inner, inner, op);
                else for (long j = 0; j < inner; j++) combine(y, at + j, updates, 0, 1, op);
            }
            return;
        }
        grouped(y, indices, inner, updates, op, pool, parallel);
    }

    /** {@code y[indices[i, 0], indices[i, 1], ...] op= updates[i]}: the last dimension of indices addresses y. */
    public static void nd(Tensor y, Tensor indices, Tensor updates, Combine op, MemoryPool pool, Parallel parallel) {
        Shape s = y.shape();
        int depth =
                indices.shape().rank() == 0 ? 1 : Counts.toInt(indices.shape().dim(-1));
        long rows = indices.shape().size(0, Math.max(0, indices.shape().rank() - 1));
        long inner = s.size(depth, s.rank());
        checkUpdates(updates, rows, inner);
        if (depth == 1 && !y.dtype().isObject() && RowGroups.firstOutside(indices, 0, s.dim(0)) < 0) {
            grouped(y, indices, inner, updates, op, pool, parallel);
            return;
        }
        long[] offsets = NdIndex.offsets(indices, s, rows, depth, "shape");
        for (int row = 0; row < rows; row++) combine(y, offsets[row], updates, row * inner, inner, op);
    }

    private static void checkUpdates(Tensor updates, long rows, long inner) {
        require(
                Math.multiplyHigh(rows, inner) == 0 && updates.size() == rows * inner,
                INVALID_ARGUMENT,
                "updates must hold %d slices of %d elements, got %s",
                rows,
                inner,
                updates.describe());
    }

    private static void grouped(
            Tensor y, Tensor indices, long inner, Tensor updates, Combine op, MemoryPool pool, Parallel parallel) {
        if (inner == 0 || indices.size() == 0) return;
        DType t = y.dtype();
        long row = inner * t.size(), to = y.address(), from = updates.address();
        if (t == DType.F32 && (op == Combine.ADD || op == Combine.SUB) && RowLists.combines(inner, indices.dtype())) {
            RowLists.combine(op == Combine.ADD, y, indices, inner, from, pool, parallel);
            return;
        }
        try (RowGroups groups = RowGroups.of(indices, row, pool)) {
            groups.run(parallel, (first, last) -> {
                long seen = 0;
                for (long k = first; k < last; k++) {
                    long i = groups.position(k), next = groups.position(Math.min(k + RowGroups.AHEAD, last - 1));
                    seen |= RowGroups.touch(to + groups.row(next) * row, row);
                    seen |= RowGroups.touch(from + next * row, row);
                    op.apply(t, to + groups.row(i) * row, from + i * row, inner);
                }
                RowGroups.keep(seen);
            });
        }
    }

    private static void combine(Tensor y, long at, Tensor x, long from, long n, Combine op) {
        int w = y.dtype().size();
        if (y.dtype().isObject()) op.apply(y, at, x, from, n);
        else op.apply(y.dtype(), y.address() + at * w, x.address() + from * w, n);
    }
}
