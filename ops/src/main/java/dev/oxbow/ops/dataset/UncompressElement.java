package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.flow.Optional;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The components of an element that was one variant. */
@Signature("UncompressElement(compressed: variant) -> (components: output_types) {output_types: list(type) >= 1;"
        + " output_shapes: list(shape) >= 1}")
public record UncompressElement(List<DType> outputTypes, List<Shape> outputShapes)
        implements NotDifferentiable, Supplying {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Iterators.types(outputTypes, outputShapes);
    }

    @Override
    public Kernel cpu() {
        return c -> Optional.of(c, 0).give(c, outputTypes, outputShapes);
    }
}
