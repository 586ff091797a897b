package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** Reads one element. */
@Signature("TensorArrayReadV3(handle: resource, index: int32, flow_in: float) -> (value: dtype) {dtype: type} stateful")
public record TensorArrayReadV3(DType dtype) implements TensorArrayVersions.Read {}
