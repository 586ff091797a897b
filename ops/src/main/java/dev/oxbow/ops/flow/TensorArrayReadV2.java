package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** Reads one element. */
@Signature("TensorArrayReadV2(handle: string, index: int32, flow_in: float) -> (value: dtype) {dtype: type}")
public record TensorArrayReadV2(DType dtype) implements TensorArrayVersions.Read {}
