package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The gradients of the values of {@code SparseAdd}: that of the sum at each place, 0 where the sum has none. */
@Signature(
        "SparseAddGrad(backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64) -> (a_val_grad: T, b_val_grad: T) {T: type in [NUMBER]}")
public record SparseAddGrad() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(0);
        for (int i = 1; i < 4; i++) {
            c.rank(i, 2);
            c.sameDim(i, 1, 3, 1);
        }
        c.sameDim(0, 0, 3, 0);
        List<TensorType> types = new ArrayList<>();
        for (int i = 1; i < 3; i++)
            types.add(new TensorType(
                    c.dtype(0), Shape.of(c.shape(i).rank() == 2 ? c.shape(i).dim(0) : -1)));
        return types;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Map<List<Long>, Integer> places = new HashMap<>();
            long[][] sum = Coordinates.rows(c.input(3));
            for (int k = 0; k < sum.length; k++) places.put(key(sum[k]), k);
            long[] one = {1};
            for (int side = 0; side < 2; side++) {
                Tensor y = c.output(side);
                Memory.zero(y.address(), y.byteSize());
                long[][] rows = Coordinates.rows(c.input(1 + side));
                for (int i = 0; i < rows.length; i++) {
                    Integer k = places.get(key(rows[i]));
                    if (k != null) Strided.copy(c.input(0), k, one, y, i, one, one, Parallel.SERIAL);
                }
            }
        };
    }

    private static List<Long> key(long[] row) {
        return Arrays.stream(row).boxed().toList();
    }
}
