package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Writes one element. */
@Signature(
        "TensorArrayWriteV3(handle: resource, index: int32, value: T, flow_in: float) -> (flow_out: float) {T: type} stateful")
public record TensorArrayWriteV3() implements TensorArrayVersions.Write {}
