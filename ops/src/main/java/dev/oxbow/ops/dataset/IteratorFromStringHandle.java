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

/** The iterator that a string of IteratorToStringHandle stands for. */
@Signature(
        "IteratorFromStringHandle(string_handle: string) -> (resource_handle: resource) {output_types: list(type) = [] >= 0; output_shapes: list(shape) = [] >= 0} stateful")
public record IteratorFromStringHandle(List<DType> outputTypes, List<Shape> outputShapes)
        implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        return List.of(TensorType.handle(DType.RESOURCE));
    }

    @Override
    public Kernel cpu() {
        return Iterators::find;
    }
}
