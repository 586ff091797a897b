package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Writes the rows of a value at the given positions. */
@Signature(
        "TensorArrayScatter(handle: ref string, indices: int32, value: T, flow_in: float) -> (flow_out: float) {T: type}")
public record TensorArrayScatter() implements TensorArrayVersions.Scatter {}
