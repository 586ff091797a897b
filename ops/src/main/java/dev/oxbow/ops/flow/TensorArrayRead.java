package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** Reads one element. */
@Signature("TensorArrayRead(handle: ref string, index: int32, flow_in: float) -> (value: dtype) {dtype: type}")
public record TensorArrayRead(DType dtype) implements TensorArrayVersions.Read {}
