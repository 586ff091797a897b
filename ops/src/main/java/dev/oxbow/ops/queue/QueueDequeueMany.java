package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Takes n tuples from a queue, stacked, once there are so many. */
@Signature(
        "QueueDequeueMany(handle: ref string, n: int32) -> (components: component_types) {component_types: list(type) >= 1; timeout_ms: int = -1}")
public record QueueDequeueMany(List<DType> componentTypes, int timeoutMs) implements QueueVersions.DequeueMany {}
