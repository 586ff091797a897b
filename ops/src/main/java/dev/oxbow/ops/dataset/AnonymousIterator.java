package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A place in a data set that nobody else can find. */
@Signature("AnonymousIterator() -> (handle: resource) {output_types: list(type) >= 1; output_shapes: list(shape) >= 1}"
        + " stateful")
public record AnonymousIterator(List<DType> outputTypes, List<Shape> outputShapes)
        implements NotDifferentiable, Opening {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.RESOURCE));
    }

    @Override
    public Kernel cpu() {
        return c -> Anonymous.give(c, new DatasetIterator());
    }
}
