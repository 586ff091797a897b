package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Where elements of a data set are kept, and what frees it. */
@Signature("AnonymousMemoryCache() -> (handle: resource, deleter: variant) stateful")
public record AnonymousMemoryCache() implements NotDifferentiable, Opening {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.RESOURCE), TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> Anonymous.give(c, new MemoryCache());
    }
}
