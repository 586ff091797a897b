package dev.oxbow.ops.queue;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Queues, barriers, accumulators, stages and locks: the list of this package's ops. */
public final class QueueOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "FIFOQueue",
                "FIFOQueueV2",
                "FakeQueue",
                "PaddingFIFOQueue",
                "PaddingFIFOQueueV2",
                "PriorityQueue",
                "PriorityQueueV2",
                "QueueClose",
                "QueueCloseV2",
                "QueueDequeue",
                "QueueDequeueMany",
                "QueueDequeueManyV2",
                "QueueDequeueUpTo",
                "QueueDequeueUpToV2",
                "QueueDequeueV2",
                "QueueEnqueue",
                "QueueEnqueueMany",
                "QueueEnqueueManyV2",
                "QueueEnqueueV2",
                "QueueIsClosed",
                "QueueIsClosedV2",
                "QueueSize",
                "QueueSizeV2",
                "RandomShuffleQueue",
                "RandomShuffleQueueV2");
    }
}
