package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** Adds one tuple to a queue, once there is room. */
@Signature(
        "QueueEnqueueV2(handle: resource, components: Tcomponents) -> () {Tcomponents: list(type) >= 1; timeout_ms: int = -1} stateful")
public record QueueEnqueueV2(int timeoutMs) implements QueueVersions.Enqueue {}
