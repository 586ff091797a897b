package dev.oxbow.ops.queue;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Adds one tuple to a queue, once there is room. */
@Signature(
        "QueueEnqueue(handle: ref string, components: Tcomponents) -> () {Tcomponents: list(type) >= 1; timeout_ms: int = -1}")
public record QueueEnqueue(int timeoutMs) implements NotDifferentiable {

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
        return Queues::enqueue;
    }
}
