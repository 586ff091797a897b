package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;

/** Writes one element. */
@Signature(
        "TensorArrayWrite(handle: ref string, index: int32, value: T, flow_in: float) -> (flow_out: float) {T: type}")
public record TensorArrayWrite() implements TensorArrayVersions.Write {}
