package dev.oxbow.ops.batching;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Concat;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Tensors joined by rows, and cut apart again; the caller owns what it gets. */
final class Rows {
    private Rows() {}

    /** Whether rows of both can be joined. */
    static boolean areAlike(Tensor x, Tensor y) {
        return x.dtype() == y.dtype()
                && x.shape().withDim(0, 0).equals(y.shape().withDim(0, 0));
    }

    static Tensor join(KernelContext c, List<Tensor> parts) {
        Tensor first = parts.get(0);
        long total = 0;
        for (Tensor t : parts) {
            require(
                    areAlike(first, t),
                    INVALID_ARGUMENT,
                    "rows of %s and of %s can not be joined",
                    first.describe(),
                    t.describe());
            total += t.shape().dim(0);
        }
        Tensor joined = c.memory().tensor(first.dtype(), first.shape().withDim(0, total), c.node());
        Concat.join(parts, 0, joined, Parallel.SERIAL);
        return joined;
    }

    /** Input {@code i} of all tasks, filled up to so many rows with copies of its first one. */
    static Tensor batch(KernelContext c, List<BatchTask> tasks, int i, long filled) {
        List<Tensor> parts = new ArrayList<>();
        long rows = 0;
        for (BatchTask t : tasks) {
            parts.add(t.inputs().get(i));
            rows += t.rows();
        }
        require(
                rows > 0 || filled == 0,
                INVALID_ARGUMENT,
                "a batch without rows can not be filled up to %d of them",
                filled);
        Tensor some =
                parts.stream().filter(t -> t.shape().dim(0) > 0).findFirst().orElse(null);
        Tensor first = rows < filled ? some.viewRows(0, 1) : null;
        for (; rows < filled; rows++) parts.add(first);
        Tensor joined = join(c, parts);
        if (first != null) first.release();
        return joined;
    }

    static void release(List<Tensor> all) {
        all.forEach(Tensor::release);
    }
}
