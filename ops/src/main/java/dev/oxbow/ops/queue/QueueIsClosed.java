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

/** Whether a queue is closed. */
@Signature("QueueIsClosed(handle: ref string) -> (is_closed: bool)")
public record QueueIsClosed() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.BOOL, Shape.SCALAR));
    }

    @Override
    public Effects effects() {
        return Effects.READS;
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).setLong(0, Queues.queue(c).isClosed() ? 1 : 0);
    }
}
