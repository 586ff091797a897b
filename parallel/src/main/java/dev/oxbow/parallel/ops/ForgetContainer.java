package dev.oxbow.parallel.ops;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/** Removes all that a device has in a container, such as what workers of a generation that is over have left there. */
@Signature("ForgetContainer() -> () {container: string} stateful")
public record ForgetContainer(String container) implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> c.containers().reset(List.of(container));
    }
}
