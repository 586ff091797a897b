package dev.oxbow.ops.queue;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.tensor.Tensor;
import java.util.function.BiConsumer;

/** Elements of queues for kernels of other packages. */
public final class NextTuple {
    private NextTuple() {}

    /** Takes a tuple from the queue of an input when there is one; the taker owns its tensors, or gets an error. */
    public static void take(KernelContext c, int input, BiConsumer<Tensor[], Throwable> taker) {
        ResourceHandle.resource(c.input(input), TupleQueue.class).dequeue(c, taker);
    }
}
