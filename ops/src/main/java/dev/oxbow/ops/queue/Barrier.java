package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** A store of elements that are put together from components by key. */
@Signature(
        "Barrier() -> (handle: ref string) {component_types: list(type) >= 1; shapes: list(shape) = [] >= 0; capacity: int = -1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record Barrier(List<DType> componentTypes, List<Shape> shapes, int capacity, String container, String sharedName)
        implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                shapes.isEmpty() || shapes.size() == componentTypes.size(),
                INVALID_ARGUMENT,
                "component_types and shapes must have the same length, got %d and %d",
                componentTypes.size(),
                shapes.size());
        List<TensorType> behind = new ArrayList<>();
        for (int i = 0; i < componentTypes.size(); i++)
            behind.add(new TensorType(componentTypes.get(i), shapes.isEmpty() ? Shape.UNKNOWN : shapes.get(i)));
        return List.of(Queues.handle(true, behind));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            String name = sharedName.isEmpty() ? c.node() : sharedName;
            var kind = new BarrierState.Kind(componentTypes, shapes);
            BarrierState b = c.containers()
                    .lookupOrCreate(container, name, BarrierState.class, () -> new BarrierState(name, kind));
            String difference = b.declared().differsFrom(kind);
            require(difference == null, INVALID_ARGUMENT, "Shared barrier '%s' %s.", name, difference);
            c.set(0, ResourceHandle.tensor(container, name, b, List.of()));
        };
    }
}
