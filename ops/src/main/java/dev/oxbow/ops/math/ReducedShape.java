package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The shape {@code input_shape} with the dimensions at {@code axes} set to 1, for gradients of reductions. Our own op. */
@Signature("_ReducedShape(input_shape: int32, axes: Tidx) -> (output: int32) {Tidx: type in [INT32 INT64] = INT32}")
public record ReducedShape() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor shape = c.input(0), axes = c.input(1), y = c.output(0);
            for (int i = 0; i < y.size(); i++) y.setLong(i, shape.getLong(i));
            for (int i = 0; i < axes.size(); i++) {
                long a = axes.getLong(i);
                y.setLong(a < 0 ? a + shape.size() : a, 1);
            }
        };
    }
}
