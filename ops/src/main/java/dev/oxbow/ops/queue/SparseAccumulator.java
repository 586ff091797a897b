package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Map;
import java.util.TreeMap;

/** Sums up sparse gradients row by row; the mean of a row is over the gradients that had it. */
final class SparseAccumulator extends Accumulator {
    private record Row(Tensor sum, int count) {}

    private final TreeMap<Long, Row> rows = new TreeMap<>();
    private Shape row;

    SparseAccumulator(String name, DType dtype, Shape shape, String reduction) {
        super(name, dtype, shape, reduction);
    }

    void apply(KernelContext c, long localStep, Tensor indices, Tensor values, Tensor denseShape, boolean known) {
        require(
                values.dtype() == dtype,
                INVALID_ARGUMENT,
                "the accumulator is of %s, the gradient is %s",
                dtype,
                values.dtype());
        require(
                indices.shape().rank() == 1,
                INVALID_ARGUMENT,
                "Input indices should be vector but received shape: %s",
                indices.shape());
        require(values.shape().rank() >= 1, INVALID_ARGUMENT, "Values cannot be 0-dimensional.");
        require(
                values.shape().dim(0) == indices.shape().dim(0),
                INVALID_ARGUMENT,
                "Expected %d non-empty input values, got %d",
                indices.shape().dim(0),
                values.shape().dim(0));
        Shape one = values.shape().slice(1, values.shape().rank());
        long bound = shape.rank() > 0 ? shape.dim(0) : -1;
        if (known) {
            long[] dims = new long[Counts.toInt(denseShape.size())];
            for (int i = 0; i < dims.length; i++) dims[i] = denseShape.getLong(i);
            Shape given = Shape.of(dims);
            require(
                    !shape.isRankKnown() || shape.rank() <= given.rank(),
                    INVALID_ARGUMENT,
                    "Shape mismatch: expected shape rank at least %d, got %d",
                    shape.rank(),
                    given.rank());
            require(startsAs(given), INVALID_ARGUMENT, "Shape mismatch: expected shape %s, got %s", shape, given);
            if (bound < 0 && given.rank() > 0) bound = given.dim(0);
        }
        require(
                startsAs(values.shape().withDim(0, -1)),
                INVALID_ARGUMENT,
                "Shape mismatch: expected values shape at index 0 to be %s, got %s",
                shape,
                values.shape());
        for (long i = 0; i < indices.size(); i++)
            require(
                    indices.getLong(i) >= 0 && (bound < 0 || indices.getLong(i) < bound),
                    INVALID_ARGUMENT,
                    "index %d is not in [0, %d)",
                    indices.getLong(i),
                    bound);
        apply(localStep, () -> {
            require(
                    row == null || row.equals(one),
                    INVALID_ARGUMENT,
                    "Shape mismatch: expected rows of %s, got %s",
                    row,
                    one);
            row = one;
            for (long i = 0; i < indices.size(); i++)
                addRow(c, indices.getLong(i), Tuples.row(c.memory(), values, i, name()));
        });
    }

    /** Whether a shape begins with the declared dimensions. */
    private boolean startsAs(Shape s) {
        return !shape.isRankKnown() || shape.rank() <= s.rank() && shape.isCompatibleWith(s.slice(0, shape.rank()));
    }

    private void addRow(KernelContext c, long index, Tensor x) {
        Row old = rows.get(index);
        if (old == null) {
            rows.put(index, new Row(x, 1));
            return;
        }
        add(c, old.sum, x);
        x.release();
        rows.put(index, new Row(old.sum, old.count + 1));
    }

    @Override
    void give(KernelContext c) {
        Shape n = Shape.of(rows.size());
        Tensor indices = c.allocate(0, n), values = c.allocate(1, n.concat(row == null ? Shape.SCALAR : row));
        Tensor dense = c.allocate(2, Shape.of(values.shape().rank()));
        long i = 0;
        for (Map.Entry<Long, Row> e : rows.entrySet()) {
            Row r = e.getValue();
            if (mean) divide(c, r.sum, r.count);
            indices.setLong(i, e.getKey());
            Tuples.copy(r.sum, 0, values, i * r.sum.size(), r.sum.size());
            i++;
        }
        dense.setLong(0, shape.rank() > 0 ? shape.dim(0) : -1);
        for (int d = 1; d < values.shape().rank(); d++)
            dense.setLong(d, values.shape().dim(d));
        free();
    }

    @Override
    void free() {
        rows.values().forEach(r -> r.sum.release());
        rows.clear();
        row = null;
    }
}
