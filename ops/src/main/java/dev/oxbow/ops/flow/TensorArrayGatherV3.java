package dev.oxbow.ops.flow;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
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
public record TensorArrayGatherV3(DType dtype, Shape elementShape) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(
                dtype, Shape.of(c.shape(1).rank() == 1 ? c.shape(1).dim(0) : -1).concat(elementShape)));
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
        return c -> TensorArrays.gather(c, Arguments.longs(c.input(1)), dtype, elementShape);
    }

    /** Scatters {@code dy} into the gradient array. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> array = TensorArrays.gradientOf(g, g.input(2));
        Value flow = Value.apply(new TensorArrayScatterV3(), array.get(0), g.input(1), g.gradient(0), array.get(1));
        return Arrays.asList(null, null, flow);
    }
}
