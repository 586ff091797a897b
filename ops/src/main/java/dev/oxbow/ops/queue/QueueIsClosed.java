package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** Whether a queue is closed. */
@Signature("QueueIsClosed(handle: ref string) -> (is_closed: bool)")
public record QueueIsClosed() implements QueueVersions.IsClosed {}
