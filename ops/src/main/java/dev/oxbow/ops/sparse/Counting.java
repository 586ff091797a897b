package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How often whole numbers occur in each row, as a sparse tensor. */
final class Counting {
    private final List<TreeMap<Long, Double>> rows = new ArrayList<>();
    private final Tensor values;
    private final Tensor weights;
    private final long most;
    private final boolean binary;
    private long largest = -1;

    /** Numbers from {@code most} on do not count, unless it is not above 0. */
    Counting(Tensor values, Tensor weights, long rows, long most, boolean binary) {
        require(
                weights.size() == 0 || weights.shape().equals(values.shape()),
                INVALID_ARGUMENT,
                "Weights and values must have the same shape. Weight shape: %s; values shape: %s",
                weights.shape(),
                values.shape());
        this.values = values;
        this.weights = weights;
        this.most = most;
        this.binary = binary;
        for (long i = 0; i < rows; i++) this.rows.add(new TreeMap<>());
    }

    static List<TensorType> types(DType output) {
        return List.of(
                new TensorType(DType.I64, Shape.ofRank(2)),
                new TensorType(output, Shape.ofRank(1)),
                new TensorType(DType.I64, Shape.ofRank(1)));
    }

    /** Counts element {@code i} in a row. */
    void add(long row, long i) {
        long value = values.getLong(i);
        require(value >= 0, INVALID_ARGUMENT, "Input values must all be non-negative, got %d", value);
        if (most > 0 && value >= most) return;
        largest = Math.max(largest, value);
        double weight = binary || weights.size() == 0 ? 1 : weights.getDouble(i);
        rows.get((int) row).merge(value, weight, (a, b) -> binary ? 1 : a + b);
    }

    /** Gives what was counted; where {@code isVector} there is one row, and it is the result. */
    void give(KernelContext c, long least, boolean isVector) {
        long count = 0;
        for (TreeMap<Long, Double> r : rows) count += r.size();
        int rank = isVector ? 1 : 2;
        Tensor indices = c.allocate(0, Shape.of(count, rank)), counts = c.allocate(1, Shape.of(count));
        long at = 0;
        for (int r = 0; r < rows.size(); r++) {
            for (Map.Entry<Long, Double> e : rows.get(r).entrySet()) {
                if (!isVector) indices.setLong(at * rank, r);
                indices.setLong(at * rank + rank - 1, e.getKey());
                counts.set(at++, e.getValue());
            }
        }
        long width = most > 0 ? most : Math.max(largest + 1, least);
        Tensor shape = c.allocate(2, Shape.of(rank));
        if (!isVector) shape.setLong(0, rows.size());
        shape.setLong(rank - 1, width);
    }
}
