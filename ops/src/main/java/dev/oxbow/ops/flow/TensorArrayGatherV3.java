package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;

/** The elements with the given positions along a new first axis. */
@Signature(
        "TensorArrayGatherV3(handle: resource, indices: int32, flow_in: float) -> (value: dtype) {dtype: type; element_shape: shape = shape { unknown_rank: true }} stateful")
public record TensorArrayGatherV3(DType dtype, Shape elementShape) implements TensorArrayVersions.Gather {}
