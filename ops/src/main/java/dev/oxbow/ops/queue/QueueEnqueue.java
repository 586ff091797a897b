package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** Adds one tuple to a queue, once there is room. */
@Signature(
        "QueueEnqueue(handle: ref string, components: Tcomponents) -> () {Tcomponents: list(type) >= 1; timeout_ms: int = -1}")
public record QueueEnqueue(int timeoutMs) implements QueueVersions.Enqueue {}
