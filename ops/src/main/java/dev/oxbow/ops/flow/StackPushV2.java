package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Puts a value on a stack, and gives it on. */
@Signature("StackPushV2(handle: resource, elem: T) -> (output: T) {T: type; swap_memory: bool = false} stateful")
public record StackPushV2() implements Stacks.Push {}
