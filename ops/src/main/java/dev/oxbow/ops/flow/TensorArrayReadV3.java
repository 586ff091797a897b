package dev.oxbow.ops.flow;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** Reads one element. */
@Signature("TensorArrayReadV3(handle: resource, index: int32, flow_in: float) -> (value: dtype) {dtype: type} stateful")
public record TensorArrayReadV3(DType dtype) implements Differentiable, TensorArrayVersions.Read {

    /** Writes {@code dy} into the gradient array. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> array = TensorArrays.gradientOf(g, g.input(2));
        Value flow = Value.apply(new TensorArrayWriteV3(), array.get(0), g.input(1), g.gradient(0), array.get(1));
        return Arrays.asList(null, null, flow);
    }
}
