package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** Writes the rows of a value at the given positions. */
@Signature(
        "TensorArrayScatterV3(handle: resource, indices: int32, value: T, flow_in: float) -> (flow_out: float) {T: type} stateful")
public record TensorArrayScatterV3() implements Differentiable, TensorArrayVersions.Scatter {

    /** Gathers from the gradient array. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> array = TensorArrays.gradientOf(g, g.gradient(0));
        Value dx = Value.apply(
                new TensorArrayGatherV3(g.node().input(2).type().dtype(), Shape.UNKNOWN),
                array.get(0),
                g.input(1),
                array.get(1));
        return Arrays.asList(null, null, dx, g.gradient(0));
    }
}
