package dev.oxbow.ops.state;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/** Has no effect: reads share a variable's memory until it is changed. */
@Signature("DisableCopyOnRead(resource: resource) -> () stateful")
public record DisableCopyOnRead() implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {};
    }
}
