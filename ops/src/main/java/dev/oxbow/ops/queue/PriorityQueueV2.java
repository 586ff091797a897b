package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A queue that gives the element with the smallest first component back, an i64 that is not declared. */
@Signature(
        "PriorityQueueV2() -> (handle: resource) {component_types: list(type) = [] >= 0; shapes: list(shape) >= 0; capacity: int = -1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record PriorityQueueV2(
        List<DType> componentTypes, List<Shape> shapes, int capacity, String container, String sharedName)
        implements Queues.Priority {}
