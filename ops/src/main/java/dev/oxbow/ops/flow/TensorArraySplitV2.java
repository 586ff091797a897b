package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Writes consecutive parts of a value. */
@Signature(
        "TensorArraySplitV2(handle: string, value: T, lengths: int64, flow_in: float) -> (flow_out: float) {T: type}")
public record TensorArraySplitV2() implements TensorArrayVersions.Split {}
