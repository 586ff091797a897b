package dev.oxbow.ops.queue;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Takes n tuples from a queue, stacked, or the rest of it once it is closed. */
@Signature(
        "QueueDequeueUpToV2(handle: resource, n: int32) -> (components: component_types) {component_types: list(type) >= 1; timeout_ms: int = -1} stateful")
public record QueueDequeueUpToV2(List<DType> componentTypes, int timeoutMs) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Queues.inferDequeue(c, true, true);
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
    public boolean suppliesOutputs() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return c -> Queues.dequeueMany(c, componentTypes, true);
    }
}
