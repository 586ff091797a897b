package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** The number of elements of an array. */
@Signature("TensorArraySize(handle: ref string, flow_in: float) -> (size: int32)")
public record TensorArraySize() implements TensorArrayVersions.Size {}
