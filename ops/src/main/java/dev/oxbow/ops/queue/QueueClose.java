package dev.oxbow.ops.queue;

import dev.oxbow.graph.Signature;

/** Closes a queue once the enqueues before it are through, or cancels them. */
@Signature("QueueClose(handle: ref string) -> () {cancel_pending_enqueues: bool = false}")
public record QueueClose(boolean cancelPendingEnqueues) implements QueueVersions.Close {}
