package dev.oxbow.ops.queue;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Adds the rows of the components to a queue, one tuple each, as there is room. */
@Signature(
        "QueueEnqueueManyV2(handle: resource, components: Tcomponents) -> () {Tcomponents: list(type) >= 1; timeout_ms: int = -1} stateful")
public record QueueEnqueueManyV2(int timeoutMs) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public boolean waits() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return Queues::enqueueMany;
    }
}
