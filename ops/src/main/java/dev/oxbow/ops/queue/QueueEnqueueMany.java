package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** Adds the rows of the components to a queue, one tuple each, as there is room. */
@Signature(
        "QueueEnqueueMany(handle: ref string, components: Tcomponents) -> () {Tcomponents: list(type) >= 1; timeout_ms: int = -1}")
public record QueueEnqueueMany(int timeoutMs) implements QueueVersions.EnqueueMany {}
