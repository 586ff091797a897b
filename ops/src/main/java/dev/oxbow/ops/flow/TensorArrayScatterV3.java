package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Writes the rows of a value at the given positions. */
@Signature(
        "TensorArrayScatterV3(handle: resource, indices: int32, value: T, flow_in: float) -> (flow_out: float) {T: type} stateful")
public record TensorArrayScatterV3() implements TensorArrayVersions.Scatter {}
