package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code RandomShuffleQueueV2}, known by reference. */
@Signature(
        "RandomShuffleQueue() -> (handle: ref string) {component_types: list(type) >= 1; shapes: list(shape) = [] >= 0; capacity: int = -1; min_after_dequeue: int = 0; seed: int = 0; seed2: int = 0; container: string = \"\"; shared_name: string = \"\"} stateful")
public record RandomShuffleQueue(
        List<DType> componentTypes,
        List<Shape> shapes,
        int capacity,
        int minAfterDequeue,
        long seed,
        long seed2,
        String container,
        String sharedName)
        implements Queues.Shuffled {}
