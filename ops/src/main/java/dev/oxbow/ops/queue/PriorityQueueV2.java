package dev.oxbow.ops.queue;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** A queue that gives the element with the smallest first component back, an i64 that is not declared. */
@Signature(
        "PriorityQueueV2() -> (handle: resource) {component_types: list(type) = [] >= 0; shapes: list(shape) >= 0; capacity: int = -1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record PriorityQueueV2(
        List<DType> componentTypes, List<Shape> shapes, int capacity, String container, String sharedName)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Queues.inferHandle(false, kind());
    }

    private TupleQueue.Kind kind() {
        List<DType> types = new ArrayList<>(componentTypes);
        List<Shape> all = new ArrayList<>(shapes);
        types.add(0, DType.I64);
        all.add(0, Shape.SCALAR);
        return Queues.kind("PriorityQueue", types, all, capacity, 0, false);
    }

    @Override
    public Effects effects() {
        return Effects.READS;
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return c -> Queues.open(c, container, sharedName, kind(), TupleStore::byPriority);
    }
}
