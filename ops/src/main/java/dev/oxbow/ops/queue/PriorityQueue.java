package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** {@code PriorityQueueV2}, known by reference. */
@Signature(
        "PriorityQueue() -> (handle: ref string) {component_types: list(type) = [] >= 0; shapes: list(shape) >= 0; capacity: int = -1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record PriorityQueue(
        List<DType> componentTypes, List<Shape> shapes, int capacity, String container, String sharedName)
        implements Queues.Priority {}
