package dev.oxbow.ops.flow;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** Reads one element. */
@Signature("TensorArrayReadV3(handle: resource, index: int32, flow_in: float) -> (value: dtype) {dtype: type} stateful")
public record TensorArrayReadV3(DType dtype) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.of(dtype));
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
        return c -> TensorArrays.read(c, dtype);
    }

    /** Writes {@code dy} into the gradient array. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> array = TensorArrays.gradientOf(g, g.input(2));
        Value flow = Value.apply(new TensorArrayWriteV3(), array.get(0), g.input(1), g.gradient(0), array.get(1));
        return Arrays.asList(null, null, flow);
    }
}
