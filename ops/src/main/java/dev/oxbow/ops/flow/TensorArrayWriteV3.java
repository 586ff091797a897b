package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Writes one element. */
@Signature(
        "TensorArrayWriteV3(handle: resource, index: int32, value: T, flow_in: float) -> (flow_out: float) {T: type} stateful")
public record TensorArrayWriteV3() implements Differentiable, TensorArrayVersions.Write {

    /** The element of the gradient array. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> array = TensorArrays.gradientOf(g, g.gradient(0));
        Value dx = Value.apply(
                new TensorArrayReadV3(g.node().input(2).type().dtype()), array.get(0), g.input(1), array.get(1));
        return Arrays.asList(null, null, dx, g.gradient(0));
    }
}
