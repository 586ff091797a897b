package dev.oxbow.ops.queue;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A queue that gives random elements back and keeps some to choose from while it is open. */
@Signature(
        "RandomShuffleQueueV2() -> (handle: resource) {component_types: list(type) >= 1; shapes: list(shape) = [] >= 0; capacity: int = -1; min_after_dequeue: int = 0; seed: int = 0; seed2: int = 0; container: string = \"\"; shared_name: string = \"\"} stateful")
public record RandomShuffleQueueV2(
        List<DType> componentTypes,
        List<Shape> shapes,
        int capacity,
        int minAfterDequeue,
        long seed,
        long seed2,
        String container,
        String sharedName)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Queues.inferHandle(false, kind());
    }

    private TupleQueue.Kind kind() {
        return Queues.kind("RandomShuffleQueue", componentTypes, shapes, capacity, minAfterDequeue, false, seed, seed2);
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
        return c -> Queues.open(c, container, sharedName, kind(), () -> TupleStore.shuffled(seed, seed2));
    }
}
