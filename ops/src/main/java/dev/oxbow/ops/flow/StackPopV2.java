package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** Takes the last value off a stack. */
@Signature("StackPopV2(handle: resource) -> (elem: elem_type) {elem_type: type} stateful")
public record StackPopV2(DType elemType) implements Stacks.Pop {}
