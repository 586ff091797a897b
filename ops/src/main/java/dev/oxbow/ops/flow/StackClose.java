package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Drops a stack and what is on it. */
@Signature("StackClose(handle: ref string) -> ()")
public record StackClose() implements Stacks.Close {}
