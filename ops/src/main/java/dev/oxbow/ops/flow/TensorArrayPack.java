package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** All elements along a new first axis. */
@Signature(
        "TensorArrayPack(handle: ref string, flow_in: float) -> (value: dtype) {dtype: type; element_shape: shape = shape { unknown_rank: true }}")
public record TensorArrayPack(DType dtype, Shape elementShape) implements Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(dtype, Shape.of(-1).concat(elementShape)));
    }

    @Override
    public Kernel cpu() {
        return c -> TensorArrays.gather(c, TensorArrays.all(c), dtype, elementShape);
    }
}
