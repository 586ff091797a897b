package dev.oxbow.ops.dataset;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/** Begins a data set. */
@Signature("MakeIterator(dataset: variant, iterator: resource) -> () stateful")
public record MakeIterator() implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> ResourceHandle.resource(c.input(1), DatasetIterator.class).begin(Dataset.input(c, 0));
    }
}
