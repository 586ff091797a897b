package dev.oxbow.ops.flow;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** Writes consecutive parts of a value. */
@Signature(
        "TensorArraySplitV3(handle: resource, value: T, lengths: int64, flow_in: float) -> (flow_out: float) {T: type} stateful")
public record TensorArraySplitV3() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorArrays.FLOW);
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
        return TensorArrays::split;
    }

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
