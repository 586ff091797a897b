package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A new array of tensors, for the length of the step. */
@Signature(
        "TensorArrayV2(size: int32) -> (handle: string) {dtype: type; element_shape: shape = shape { unknown_rank: true }; dynamic_size: bool = false; clear_after_read: bool = true; tensor_array_name: string = \"\"} stateful")
public record TensorArrayV2(
        DType dtype, Shape elementShape, boolean dynamicSize, boolean clearAfterRead, String tensorArrayName)
        implements NotDifferentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorArrays.NAMES);
    }

    @Override
    public Kernel cpu() {
        return c -> TensorArrays.make(
                c, DType.STRING, false, dtype, elementShape, dynamicSize, clearAfterRead, false, tensorArrayName);
    }
}
