package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A lock with a name in a container. */
@Signature("MutexV2() -> (resource: resource) {container: string = \"\"; shared_name: string = \"\"} stateful")
public record MutexV2(String container, String sharedName) implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.RESOURCE, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            String name = sharedName.isEmpty() ? c.node() : sharedName;
            MutexState m = c.containers().lookupOrCreate(container, name, MutexState.class, () -> new MutexState(name));
            c.set(0, ResourceHandle.tensor(container, name, m, List.of()));
        };
    }
}
