package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** An iterator as a string, by which it is found again. */
@Signature("IteratorToStringHandle(resource_handle: resource) -> (string_handle: string) stateful")
public record IteratorToStringHandle() implements NotDifferentiable, Asking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.STRING, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).objects()[0] = Iterators.text(ResourceHandle.of(c.input(0)));
    }
}
