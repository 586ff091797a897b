package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** The number of elements in a queue. */
@Signature("QueueSizeV2(handle: resource) -> (size: int32) stateful")
public record QueueSizeV2() implements QueueVersions.Size {}
