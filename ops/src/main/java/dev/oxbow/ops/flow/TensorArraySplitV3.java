package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** Writes consecutive parts of a value. */
@Signature(
        "TensorArraySplitV3(handle: resource, value: T, lengths: int64, flow_in: float) -> (flow_out: float) {T: type} stateful")
public record TensorArraySplitV3() implements Differentiable, TensorArrayVersions.Split {

    /** Concatenates the gradient array. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> array = TensorArrays.gradientOf(g, g.gradient(0));
        Value dx = Value.applyAll(
                        new TensorArrayConcatV3(g.node().input(1).type().dtype(), Shape.UNKNOWN),
                        array.get(0),
                        array.get(1))
                .get(0);
        return Arrays.asList(null, dx, null, g.gradient(0));
    }
}
