package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The values of rows, with a default where a row has none. */
@Signature(
        "RaggedFillEmptyRows(value_rowids: int64, values: T, nrows: int64, default_value: T) -> (output_value_rowids:"
                + " int64, output_values: T, empty_row_indicator: bool, reverse_index_map: int64) {T: type}")
public record RaggedFillEmptyRows() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(0);
        c.vector(1);
        c.scalar(2);
        c.scalar(3);
        c.sameDim(0, 0, 1, 0);
        long[] rows = c.longs(2);
        Shape many = Shape.of(-1);
        return List.of(
                new TensorType(DType.I64, many),
                new TensorType(c.dtype(1), many),
                new TensorType(DType.BOOL, Shape.of(rows == null ? -1 : rows[0])),
                new TensorType(
                        DType.I64,
                        Shape.of(c.shape(1).isRankKnown() ? c.shape(1).dim(0) : -1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor ids = c.input(0), values = c.input(1), filler = c.input(3);
            long rows = c.input(2).getLong(0), n = ids.size();
            require(rows > 0 || n == 0, INVALID_ARGUMENT, "Received nrows = %d but values.size = %d", rows, n);
            Tensor isEmpty = c.isAllocated(2) ? c.output(2) : c.allocate(2, Shape.of(rows));
            long[] starts = new long[Counts.toInt(rows + 1)];
            for (long i = 0; i < n; i++) {
                long row = ids.getLong(i);
                require(
                        row >= 0 && row < rows,
                        INVALID_ARGUMENT,
                        "value_rowids(%d) is invalid: %d >= %d",
                        i,
                        row,
                        rows);
                starts[(int) row + 1]++;
            }
            for (int r = 0; r < rows; r++) {
                isEmpty.setLong(r, starts[r + 1] == 0 ? 1 : 0);
                starts[r + 1] = starts[r] + Math.max(1, starts[r + 1]);
            }
            Shape all = Shape.of(starts[(int) rows]);
            Tensor newIds = c.allocate(0, all), y = c.allocate(1, all);
            Tensor map = c.isAllocated(3) ? c.output(3) : c.allocate(3, Shape.of(n));
            long[] one = {1};
            for (int r = 0; r < rows; r++) {
                if (isEmpty.getLong(r) == 0) continue;
                newIds.setLong(starts[r], r);
                Strided.copy(filler, 0, one, y, starts[r], one, one, Parallel.SERIAL);
            }
            for (long i = 0; i < n; i++) {
                long to = starts[(int) ids.getLong(i)]++;
                newIds.setLong(to, ids.getLong(i));
                Strided.copy(values, i, one, y, to, one, one, Parallel.SERIAL);
                map.setLong(i, to);
            }
        };
    }

    /** Those of values back where they came from, the others summed up for the default. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> d = Value.applyAll(new RaggedFillEmptyRowsGrad(), g.output(3), g.gradient(1));
        return Arrays.asList(null, d.get(0), null, d.get(1));
    }
}
