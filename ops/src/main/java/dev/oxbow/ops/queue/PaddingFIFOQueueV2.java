package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A first in, first out queue whose batches are padded with zeros where dimensions are open. */
@Signature(
        "PaddingFIFOQueueV2() -> (handle: resource) {component_types: list(type) >= 1; shapes: list(shape) = [] >= 0; capacity: int = -1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record PaddingFIFOQueueV2(
        List<DType> componentTypes, List<Shape> shapes, int capacity, String container, String sharedName)
        implements Queues.PaddingFifo {}
