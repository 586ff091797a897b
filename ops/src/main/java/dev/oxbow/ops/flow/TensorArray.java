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
        "TensorArray(size: int32) -> (handle: ref string) {dtype: type; dynamic_size: bool = false; clear_after_read: bool = true; tensor_array_name: string = \"\"; element_shape: shape = shape { unknown_rank: true }} stateful")
public record TensorArray(
        DType dtype, boolean dynamicSize, boolean clearAfterRead, String tensorArrayName, Shape elementShape)
        implements NotDifferentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.ref(DType.STRING, Shape.of(2)));
    }

    @Override
    public Kernel cpu() {
        return c -> TensorArrays.make(
                c, DType.STRING, true, dtype, elementShape, dynamicSize, clearAfterRead, false, tensorArrayName);
    }
}
