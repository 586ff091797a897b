package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Waits for a lock and holds it as long as its output is in use. */
@Signature("MutexLock(mutex: resource) -> (mutex_lock: variant) stateful")
public record MutexLock() implements NotDifferentiable, Taking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.VARIANT, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> ResourceHandle.resource(c.input(0), MutexState.class).lock(c);
    }
}
