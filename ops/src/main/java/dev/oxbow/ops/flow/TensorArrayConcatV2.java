package dev.oxbow.ops.flow;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** All elements one after the other along their first axis, and how long each is. */
@Signature(
        "TensorArrayConcatV2(handle: string, flow_in: float) -> (value: dtype, lengths: int64) {dtype: type; element_shape_except0: shape = shape { unknown_rank: true }}")
public record TensorArrayConcatV2(
        DType dtype, @Attr("element_shape_except0") Shape elementShapeExcept0) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = elementShapeExcept0.isRankKnown() ? Shape.of(-1).concat(elementShapeExcept0) : Shape.UNKNOWN;
        return List.of(new TensorType(dtype, s), new TensorType(DType.I64, Shape.of(-1)));
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return c -> TensorArrays.concat(c, dtype, elementShapeExcept0);
    }
}
