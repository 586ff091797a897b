package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Takes n tuples from a queue, stacked, once there are so many. */
@Signature(
        "QueueDequeueManyV2(handle: resource, n: int32) -> (components: component_types) {component_types: list(type) >= 1; timeout_ms: int = -1} stateful")
public record QueueDequeueManyV2(List<DType> componentTypes, int timeoutMs) implements QueueVersions.DequeueMany {}
