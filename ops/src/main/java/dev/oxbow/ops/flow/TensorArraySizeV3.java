package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** The number of elements of an array. */
@Signature("TensorArraySizeV3(handle: resource, flow_in: float) -> (size: int32) stateful")
public record TensorArraySizeV3() implements TensorArrayVersions.Size {}
