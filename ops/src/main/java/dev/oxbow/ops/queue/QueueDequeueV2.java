package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Takes one tuple from a queue, once there is one. */
@Signature(
        "QueueDequeueV2(handle: resource) -> (components: component_types) {component_types: list(type) >= 1; timeout_ms: int = -1} stateful")
public record QueueDequeueV2(List<DType> componentTypes, int timeoutMs) implements QueueVersions.Dequeue {}
