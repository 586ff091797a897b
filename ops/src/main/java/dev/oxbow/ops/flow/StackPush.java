package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Puts a value on a stack, and gives it on. */
@Signature("StackPush(handle: ref string, elem: T) -> (output: T) {T: type; swap_memory: bool = false}")
public record StackPush() implements Stacks.Push {}
