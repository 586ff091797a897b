package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A box of a sparse tensor. */
@Signature(
        "SparseSlice(indices: int64, values: T, shape: int64, start: int64, size: int64) -> (output_indices: int64, output_values: T, output_shape: int64) {T: type}")
public record SparseSlice() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Coordinates.types(c.dtype(1), Coordinates.rank(c, 2));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Coordinates x = Coordinates.of(c.input(0), c.input(1), c.input(2));
            long[] start = Arguments.longs(c.input(3)), size = Arguments.longs(c.input(4));
            require(
                    start.length == x.rank() && size.length == x.rank(),
                    INVALID_ARGUMENT,
                    "Expected start and size of length %d, got %d and %d",
                    x.rank(),
                    start.length,
                    size.length);
            long[] shape = new long[x.rank()];
            for (int d = 0; d < shape.length; d++) {
                require(
                        start[d] >= 0 && size[d] >= 0,
                        INVALID_ARGUMENT,
                        "start and size must not be negative, got %d and %d",
                        start[d],
                        size[d]);
                shape[d] = Math.max(0, Math.min(size[d], x.shape()[d] - start[d]));
            }
            List<long[]> rows = new ArrayList<>();
            List<Integer> picks = new ArrayList<>();
            for (int k = 0; k < x.count(); k++) {
                long[] row = x.rows()[k].clone();
                boolean inside = true;
                for (int d = 0; d < shape.length; d++) {
                    row[d] -= start[d];
                    inside &= row[d] >= 0 && row[d] < shape[d];
                }
                if (!inside) continue;
                rows.add(row);
                picks.add(k);
            }
            Coordinates.emit(c, 0, rows, x.rank());
            Coordinates.pick(
                    c, 1, x.values(), picks.stream().mapToInt(Integer::intValue).toArray());
            Coordinates.vector(c, 2, shape);
        };
    }

    /** The gradients of the values that were taken, 0 for the others. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value d = Value.apply(new SparseSliceGrad(), g.gradient(1), g.input(0), g.input(3), g.output(0));
        return Arrays.asList(null, d, null, null, null);
    }
}
