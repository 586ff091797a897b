package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Drops an array and its elements. */
@Signature("TensorArrayClose(handle: ref string) -> ()")
public record TensorArrayClose() implements TensorArrayVersions.Close {}
