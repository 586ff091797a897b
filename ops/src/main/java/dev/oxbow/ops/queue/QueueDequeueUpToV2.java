package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Takes n tuples from a queue, stacked, or the rest of it once it is closed. */
@Signature(
        "QueueDequeueUpToV2(handle: resource, n: int32) -> (components: component_types) {component_types: list(type) >= 1; timeout_ms: int = -1} stateful")
public record QueueDequeueUpToV2(List<DType> componentTypes, int timeoutMs) implements QueueVersions.DequeueUpTo {}
