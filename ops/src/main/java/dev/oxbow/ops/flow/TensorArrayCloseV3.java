package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Drops an array and its elements. */
@Signature("TensorArrayCloseV3(handle: resource) -> () stateful")
public record TensorArrayCloseV3() implements TensorArrayVersions.Close {}
