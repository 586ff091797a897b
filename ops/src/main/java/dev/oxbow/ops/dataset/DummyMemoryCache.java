package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import java.util.List;

/** No memory: data sets have their own. */
@Signature("DummyMemoryCache() -> (handle: resource) stateful")
public record DummyMemoryCache() implements NotDifferentiable, Opening {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.RESOURCE));
    }

    @Override
    public Kernel cpu() {
        return c -> Anonymous.give(c, new Anonymous.Nothing());
    }
}
