package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** Whether a queue is closed. */
@Signature("QueueIsClosedV2(handle: resource) -> (is_closed: bool) stateful")
public record QueueIsClosedV2() implements QueueVersions.IsClosed {}
