package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/** Lets a barrier take no new keys, and if wanted no more components. */
@Signature("BarrierClose(handle: ref string) -> () {cancel_pending_enqueues: bool = false}")
public record BarrierClose(boolean cancelPendingEnqueues) implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> ResourceHandle.resource(c.input(0), BarrierState.class).shut(cancelPendingEnqueues);
    }
}
