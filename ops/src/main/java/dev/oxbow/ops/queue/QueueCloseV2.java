package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** Closes a queue once the enqueues before it are through, or cancels them. */
@Signature("QueueCloseV2(handle: resource) -> () {cancel_pending_enqueues: bool = false} stateful")
public record QueueCloseV2(boolean cancelPendingEnqueues) implements QueueVersions.Close {}
