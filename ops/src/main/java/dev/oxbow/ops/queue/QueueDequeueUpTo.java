package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Takes n tuples from a queue, stacked, or the rest of it once it is closed. */
@Signature(
        "QueueDequeueUpTo(handle: ref string, n: int32) -> (components: component_types) {component_types: list(type) >= 1; timeout_ms: int = -1}")
public record QueueDequeueUpTo(List<DType> componentTypes, int timeoutMs) implements QueueVersions.DequeueUpTo {}
