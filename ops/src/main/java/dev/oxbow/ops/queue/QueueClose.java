package dev.oxbow.ops.queue;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Closes a queue once the enqueues before it are through, or cancels them. */
@Signature("QueueClose(handle: ref string) -> () {cancel_pending_enqueues: bool = false}")
public record QueueClose(boolean cancelPendingEnqueues) implements NotDifferentiable {

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
        return c -> Queues.queue(c).shut(c, cancelPendingEnqueues);
    }
}
