package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The slices of a sparse tensor along its first dimension, in which entries are in the order in which they are there.
 *
 * @param shape that of each
 * @param order positions of entries, those of one slice behind each other
 * @param begins where each slice begins in that order, and where the last one ends
 */
record SparseSlices(KernelContext context, Coordinates all, Tensor shape, int[] order, int[] begins) {
    /** About what three tensors of a slice take on the heap. */
    private static final int BYTES = 1024;

    /** The slices of inputs indices, values and shape; the caller owns what it asks for. */
    static SparseSlices of(KernelContext c) {
        Coordinates x = Coordinates.of(c.input(0), c.input(1), c.input(2)).inside();
        require(x.rank() > 1, INVALID_ARGUMENT, "Rank of input SparseTensor should be > 1, but saw rank: %d", x.rank());
        int n = Counts.objects(x.shape()[0], BYTES);
        int[] order = IntStream.range(0, x.count())
                .boxed()
                .sorted(Comparator.comparingLong(k -> x.rows()[k][0]))
                .mapToInt(Integer::intValue)
                .toArray();
        int[] begins = new int[n + 1];
        for (long[] row : x.rows()) begins[(int) row[0] + 1]++;
        for (int i = 0; i < n; i++) begins[i + 1] += begins[i];
        Tensor shape = c.memory().tensor(DType.I64, Shape.of(x.rank() - 1), c.node());
        for (int d = 1; d < x.rank(); d++) shape.setLong(d - 1, x.shape()[d]);
        return new SparseSlices(c, x, shape, order, begins);
    }

    int count() {
        return begins.length - 1;
    }

    boolean isEmpty(int i) {
        return begins[i] == begins[i + 1];
    }

    /** Indices, values and shape of slice {@code i}. */
    List<Tensor> at(int i) {
        return List.of(indices(i), values(i), shape.retain());
    }

    /** Coordinates of the entries of slice {@code i}, without the first one. */
    Tensor indices(int i) {
        int from = begins[i], n = begins[i + 1] - from, depth = all.rank() - 1;
        Tensor t = context.memory().tensor(DType.I64, Shape.of(n, depth), context.node());
        for (int k = 0; k < n; k++)
            for (int d = 0; d < depth; d++) t.setLong((long) k * depth + d, all.rows()[order[from + k]][d + 1]);
        return t;
    }

    Tensor values(int i) {
        int from = begins[i], n = begins[i + 1] - from;
        Tensor t = context.memory().tensor(all.values().dtype(), Shape.of(n), context.node());
        long[] one = {1};
        for (int k = 0; k < n; k++) Strided.copy(all.values(), order[from + k], one, t, k, one, one, Parallel.SERIAL);
        return t;
    }
}
