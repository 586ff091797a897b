package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Drops a stack and what is on it. */
@Signature("StackCloseV2(handle: resource) -> () stateful")
public record StackCloseV2() implements Stacks.Close {}
