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

/** A first in, first out queue whose batches are padded with zeros where dimensions are open by reference. */
@Signature(
        "PaddingFIFOQueue() -> (handle: ref string) {component_types: list(type) >= 1; shapes: list(shape) = [] >= 0; capacity: int = -1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record PaddingFIFOQueue(
        List<DType> componentTypes, List<Shape> shapes, int capacity, String container, String sharedName)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Queues.inferHandle(true, kind());
    }

    private TupleQueue.Kind kind() {
        return Queues.kind("PaddingFIFOQueue", componentTypes, shapes, capacity, 0, true);
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
        return c -> Queues.open(c, container, sharedName, kind(), TupleStore::fifo);
    }
}
