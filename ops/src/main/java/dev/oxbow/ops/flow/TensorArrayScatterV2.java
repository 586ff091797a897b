package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Writes the rows of a value at the given positions. */
@Signature(
        "TensorArrayScatterV2(handle: string, indices: int32, value: T, flow_in: float) -> (flow_out: float) {T: type}")
public record TensorArrayScatterV2() implements TensorArrayVersions.Scatter {}
