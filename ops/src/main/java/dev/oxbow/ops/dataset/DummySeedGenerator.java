package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import java.util.List;

/** No seeds: data sets have their own. */
@Signature("DummySeedGenerator() -> (handle: resource) stateful")
public record DummySeedGenerator() implements NotDifferentiable, Opening {
    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.RESOURCE));
    }

    @Override
    public Kernel cpu() {
        return c -> Anonymous.give(c, new Anonymous.Nothing());
    }
}
