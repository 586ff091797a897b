package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The elements with the given positions along a new first axis. */
@Signature(
        "TensorArrayGatherV3(handle: resource, indices: int32, flow_in: float) -> (value: dtype) {dtype: type; element_shape: shape = shape { unknown_rank: true }} stateful")
public record TensorArrayGatherV3(DType dtype, Shape elementShape)
        implements Differentiable, TensorArrayVersions.Gather {

    /** Scatters {@code dy} into the gradient array. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> array = TensorArrays.gradientOf(g, g.input(2));
        Value flow = Value.apply(new TensorArrayScatterV3(), array.get(0), g.input(1), g.gradient(0), array.get(1));
        return Arrays.asList(null, null, flow);
    }
}
