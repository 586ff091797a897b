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
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Sparse tensors joined along a dimension. */
@Signature(
        "SparseConcat(indices: N*int64, values: N*T, shapes: N*int64) -> (output_indices: int64, output_values: T, output_shape: int64) {concat_dim: int; N: int >= 2; T: type}")
public record SparseConcat(int concatDim) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        int n = c.inputCount() / 3;
        return Coordinates.types(c.dtype(n), Coordinates.rank(c, 2 * n));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int n = c.inputCount() / 3;
            List<long[]> rows = new ArrayList<>();
            List<int[]> origin = new ArrayList<>();
            long[] shape = null;
            int at = 0;
            for (int i = 0; i < n; i++) {
                Coordinates x = Coordinates.of(c.input(i), c.input(n + i), c.input(2 * n + i));
                if (shape == null) {
                    shape = x.shape().clone();
                    at = Arguments.axis(concatDim, shape.length);
                    shape[at] = 0;
                }
                check(shape, x.shape(), at, i);
                for (int k = 0; k < x.count(); k++) {
                    long[] row = x.rows()[k].clone();
                    row[at] += shape[at];
                    rows.add(row);
                    origin.add(new int[] {n + i, k});
                }
                shape[at] += x.shape()[at];
            }
            int[] order = new Coordinates(rows.toArray(long[][]::new), null, shape).sorted();
            Coordinates.emit(c, 0, Arrays.stream(order).mapToObj(rows::get).toList(), shape.length);
            Tensor y = c.allocate(1, Shape.of(order.length));
            long[] one = {1};
            for (int k = 0; k < order.length; k++) {
                int[] from = origin.get(order[k]);
                Strided.copy(c.input(from[0]), from[1], one, y, k, one, one, Parallel.SERIAL);
            }
            Coordinates.vector(c, 2, shape);
        };
    }

    private static void check(long[] first, long[] other, int at, int i) {
        require(
                first.length == other.length,
                INVALID_ARGUMENT,
                "Ranks of all input tensors must match: expected %d but got %d at position %d",
                first.length,
                other.length,
                i);
        for (int d = 0; d < first.length; d++)
            require(
                    d == at || first[d] == other[d],
                    INVALID_ARGUMENT,
                    "Input shapes must match: expected %d for dimension %d but got %d at position %d",
                    first[d],
                    d,
                    other[d],
                    i);
    }
}
