package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** The number of elements of an array. */
@Signature("TensorArraySizeV2(handle: string, flow_in: float) -> (size: int32)")
public record TensorArraySizeV2() implements TensorArrayVersions.Size {}
