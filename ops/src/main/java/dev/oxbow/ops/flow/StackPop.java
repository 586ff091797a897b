package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** Takes the last value off a stack. */
@Signature("StackPop(handle: ref string) -> (elem: elem_type) {elem_type: type}")
public record StackPop(DType elemType) implements Stacks.Pop {}
