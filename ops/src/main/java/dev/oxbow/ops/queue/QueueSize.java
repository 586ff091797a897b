package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** The number of elements in a queue. */
@Signature("QueueSize(handle: ref string) -> (size: int32)")
public record QueueSize() implements QueueVersions.Size {}
