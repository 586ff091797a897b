package dev.oxbow.ops.flow;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;

/** All elements one after the other along their first axis, and how long each is. */
@Signature(
        "TensorArrayConcatV3(handle: resource, flow_in: float) -> (value: dtype, lengths: int64) {dtype: type; element_shape_except0: shape = shape { unknown_rank: true }} stateful")
public record TensorArrayConcatV3(
        DType dtype, @Attr("element_shape_except0") Shape elementShapeExcept0) implements TensorArrayVersions.Joined {}
