package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The next element, or nothing behind the last one. */
@Signature("IteratorGetNextAsOptional(iterator: resource) -> (optional: variant) {output_types: list(type) >= 1;"
        + " output_shapes: list(shape) >= 1} stateful")
public record IteratorGetNextAsOptional(List<DType> outputTypes, List<Shape> outputShapes)
        implements NotDifferentiable, Taking {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> Iterators.optional(c, outputTypes, outputShapes);
    }
}
