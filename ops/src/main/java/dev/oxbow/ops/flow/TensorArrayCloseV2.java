package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Drops an array and its elements. */
@Signature("TensorArrayCloseV2(handle: string) -> ()")
public record TensorArrayCloseV2() implements TensorArrayVersions.Close {}
