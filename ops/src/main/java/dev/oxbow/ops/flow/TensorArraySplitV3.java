package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Writes consecutive parts of a value. */
@Signature(
        "TensorArraySplitV3(handle: resource, value: T, lengths: int64, flow_in: float) -> (flow_out: float) {T: type} stateful")
public record TensorArraySplitV3() implements TensorArrayVersions.Split {}
