package dev.oxbow.ops.sparse;

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
import dev.oxbow.ops.array.InvertPermutation;
import dev.oxbow.ops.array.Range;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** The entries of a sparse tensor in row-major order. */
@Signature(
        "SparseReorder(input_indices: int64, input_values: T, input_shape: int64) -> (output_indices: int64, output_values: T) {T: type}")
public record SparseReorder() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("input_indices", c.shape(0), 2);
        Arguments.rank("input_values", c.shape(1), 1);
        Arguments.rank("input_shape", c.shape(2), 1);
        return List.of(c.input(0), c.input(1));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Coordinates x = Coordinates.of(c.input(0), c.input(1), c.input(2));
            int[] order = x.sorted();
            long[] one = {1};
            for (int k = 0; k < order.length; k++) {
                for (int d = 0; d < x.rank(); d++) c.output(0).setLong((long) k * x.rank() + d, x.rows()[order[k]][d]);
                Strided.copy(c.input(1), order[k], one, c.output(1), k, one, one, Parallel.SERIAL);
            }
        };
    }

    /** The gradients of the values in their old order. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value values = g.input(1),
                zero = g.ops().constant(DType.I32, 0),
                one = g.ops().constant(DType.I32, 1);
        Value numbers = Value.apply(new Range(), zero, values.runtimeSize(), one);
        Value order = Value.applyAll(this, g.input(0), numbers, g.input(2)).get(1);
        Value inverse = Value.apply(new InvertPermutation(), order);
        return Arrays.asList(null, g.gradient(1).gather(inverse, 0), null);
    }
}
