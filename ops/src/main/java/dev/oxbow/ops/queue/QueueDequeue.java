package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Takes one tuple from a queue, once there is one. */
@Signature(
        "QueueDequeue(handle: ref string) -> (components: component_types) {component_types: list(type) >= 1; timeout_ms: int = -1}")
public record QueueDequeue(List<DType> componentTypes, int timeoutMs) implements QueueVersions.Dequeue {}
