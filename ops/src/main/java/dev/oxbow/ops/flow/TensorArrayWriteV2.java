package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Writes one element. */
@Signature("TensorArrayWriteV2(handle: string, index: int32, value: T, flow_in: float) -> (flow_out: float) {T: type}")
public record TensorArrayWriteV2() implements TensorArrayVersions.Write {}
