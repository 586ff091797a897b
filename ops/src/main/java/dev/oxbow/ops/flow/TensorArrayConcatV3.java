package dev.oxbow.ops.flow;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** All elements one after the other along their first axis, and how long each is. */
@Signature(
        "TensorArrayConcatV3(handle: resource, flow_in: float) -> (value: dtype, lengths: int64) {dtype: type; element_shape_except0: shape = shape { unknown_rank: true }} stateful")
public record TensorArrayConcatV3(
        DType dtype, @Attr("element_shape_except0") Shape elementShapeExcept0)
        implements Differentiable, TensorArrayVersions.Joined {

    /** Splits {@code dy} into the gradient array. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> array = TensorArrays.gradientOf(g, g.input(1));
        Value flow = Value.apply(new TensorArraySplitV3(), array.get(0), g.gradient(0), g.output(1), array.get(1));
        return Arrays.asList(null, flow);
    }
}
