package dev.oxbow.ops.flow;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The elements with the given positions along a new first axis. */
@Signature(
        "TensorArrayGatherV2(handle: string, indices: int32, flow_in: float) -> (value: dtype) {dtype: type; element_shape: shape = shape { unknown_rank: true }}")
public record TensorArrayGatherV2(DType dtype, Shape elementShape) implements Op {

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
}
