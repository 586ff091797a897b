package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Writes consecutive parts of a value. */
@Signature(
        "TensorArraySplit(handle: ref string, value: T, lengths: int64, flow_in: float) -> (flow_out: float) {T: type}")
public record TensorArraySplit() implements TensorArrayVersions.Split {}
