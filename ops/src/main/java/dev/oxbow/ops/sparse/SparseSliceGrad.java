package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The gradient of the values of {@code SparseSlice}. */
@Signature(
        "SparseSliceGrad(backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64) -> (val_grad: T) {T: type in [NUMBER]}")
public record SparseSliceGrad() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(0);
        c.rank(1, 2);
        c.rank(3, 2);
        c.sameDim(0, 0, 3, 0);
        c.sameDim(1, 1, 3, 1);
        c.vector(2);
        c.sameDim(2, 0, 1, 1);
        return List.of(new TensorType(
                c.dtype(0), Shape.of(c.shape(1).rank() == 2 ? c.shape(1).dim(0) : -1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            Memory.zero(y.address(), y.byteSize());
            long[][] in = Coordinates.rows(c.input(1)), out = Coordinates.rows(c.input(3));
            long[] start = Arguments.longs(c.input(2)), one = {1};
            int k = 0;
            for (int i = 0; i < in.length && k < out.length; i++) {
                long[] moved = in[i].clone();
                for (int d = 0; d < moved.length; d++) moved[d] -= start[d];
                if (Arrays.equals(moved, out[k])) Strided.copy(c.input(0), k++, one, y, i, one, one, Parallel.SERIAL);
            }
        };
    }
}
