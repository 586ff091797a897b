package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Rows that are padded to a shape, or to the largest of a batch. */
final class Padding {
    private Padding() {}

    /** A padded batch of inputs (data set, size, shapes, values, ...). */
    static Dataset batch(KernelContext c, int count, boolean dropRest) {
        List<long[]> shapes = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            Tensor t = c.input(2 + k);
            long[] dims = new long[Math.toIntExact(t.size())];
            for (int d = 0; d < dims.length; d++) dims[d] = t.getLong(d);
            shapes.add(dims);
        }
        List<Tensor> values = DatasetOp.kept(c, 2 + count, 2 + 2 * count);
        return Walks.batch(
                Dataset.input(c, 0), DatasetOp.number(c, 1, "batch_size"), dropRest, values, (turn, some) -> {
                    List<Tensor> all = new ArrayList<>();
                    for (int k = 0; k < count; k++) {
                        List<Tensor> column = Pieces.column(some, k, count);
                        Tensor value = values.get(k);
                        require(
                                value.size() == 1
                                        && value.dtype() == column.getFirst().dtype(),
                                INVALID_ARGUMENT,
                                "padding_values must be scalars of the types of components, got %s for %s",
                                value.describe(),
                                column.getFirst().dtype());
                        all.add(Pieces.padded(turn.context(), column, shape(column, shapes.get(k)), value));
                    }
                    return all;
                });
    }

    private static Shape shape(List<Tensor> column, long[] wanted) {
        long[] dims = wanted.clone();
        for (Tensor t : column) {
            require(
                    t.shape().rank() == dims.length,
                    INVALID_ARGUMENT,
                    "All elements in a batch must have the same rank as the padded shape, %d, got %s",
                    dims.length,
                    t.shape());
            for (int d = 0; d < dims.length; d++) {
                long n = t.shape().dim(d);
                require(
                        wanted[d] < 0 || n <= wanted[d],
                        DATA_LOSS,
                        "Attempted to pad to a smaller size than the input element: %s to %d",
                        t.shape(),
                        wanted[d]);
                if (wanted[d] < 0) dims[d] = Math.max(dims[d], n);
            }
        }
        return Shape.of(dims);
    }
}
