package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** How often each whole number occurs, or the sums of its weights. */
@Signature("Bincount(arr: int32, size: int32, weights: T) -> (bins: T) {T: type in [INT32 INT64 FLOAT DOUBLE]}")
public record Bincount() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(c.dtype(2), Shape.of(Counting.size(c, 1))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), weights = c.input(2), y = c.output(0);
            Counting.check(x, weights);
            Memory.zero(y.address(), y.byteSize());
            for (long i = 0; i < x.size(); i++) Counting.add(x, i, weights, false, y, 0, y.size());
        };
    }
}
