package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** A sparse tensor with a default in the first column of each row that has no entry. */
@Signature(
        "SparseFillEmptyRows(indices: int64, values: T, dense_shape: int64, default_value: T) -> (output_indices: int64, output_values: T, empty_row_indicator: bool, reverse_index_map: int64) {T: type}")
public record SparseFillEmptyRows() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.scalar("default_value", c.shape(3));
        long[] shape = c.longs(2);
        long rows = shape == null || shape.length == 0 ? -1 : shape[0];
        long n = c.shape(1).rank() == 1 ? c.shape(1).dim(0) : -1;
        return List.of(
                new TensorType(DType.I64, Shape.of(-1, Coordinates.rank(c, 2))),
                new TensorType(c.dtype(1), Shape.of(-1)),
                new TensorType(DType.BOOL, Shape.of(rows)),
                new TensorType(DType.I64, Shape.of(n)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Coordinates x = Coordinates.of(c.input(0), c.input(1), c.input(2));
            require(x.rank() > 0, INVALID_ARGUMENT, "dense_shape cannot be empty");
            long[] next = Counts.array(x.shape()[0], long[]::new); // entries of each row, then where its next one goes
            int rows = next.length;
            for (int k = 0; k < x.count(); k++) {
                long r = x.rows()[k][0];
                require(r >= 0 && r < rows, INVALID_ARGUMENT, "indices(%d, 0) is invalid: %d >= %d", k, r, rows);
                next[(int) r]++;
            }
            long total = 0;
            for (long n : next) total += Math.max(1, n);
            Tensor indices = c.allocate(0, Shape.of(total, x.rank())), y = c.allocate(1, Shape.of(total));
            long at = 0;
            for (int r = 0; r < rows; r++) {
                long n = next[r];
                c.output(2).setLong(r, n == 0 ? 1 : 0);
                next[r] = at;
                if (n == 0) {
                    long[] row = new long[x.rank()];
                    row[0] = r;
                    put(indices, row, c.input(3), 0, y, at);
                }
                at += Math.max(1, n);
            }
            for (int k = 0; k < x.count(); k++) {
                long to = next[(int) x.rows()[k][0]]++;
                c.output(3).setLong(k, to);
                put(indices, x.rows()[k], x.values(), k, y, to);
            }
        };
    }

    private static void put(Tensor indices, long[] row, Tensor values, long k, Tensor y, long to) {
        for (int d = 0; d < row.length; d++) indices.setLong(to * row.length + d, row[d]);
        long[] one = {1};
        Strided.copy(values, k, one, y, to, one, one, Parallel.SERIAL);
    }

    /** The gradients of the values where they went; the default gets the others. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> d = Value.applyAll(new SparseFillEmptyRowsGrad(), g.output(3), g.gradient(1));
        return Arrays.asList(null, d.get(0), null, d.get(1));
    }
}
