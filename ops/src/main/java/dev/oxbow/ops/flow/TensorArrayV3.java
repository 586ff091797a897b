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
        "TensorArrayV3(size: int32) -> (handle: resource, flow: float) {dtype: type; element_shape: shape = shape { unknown_rank: true }; dynamic_size: bool = false; clear_after_read: bool = true; identical_element_shapes: bool = false; tensor_array_name: string = \"\"} stateful")
public record TensorArrayV3(
        DType dtype,
        Shape elementShape,
        boolean dynamicSize,
        boolean clearAfterRead,
        boolean identicalElementShapes,
        String tensorArrayName)
        implements NotDifferentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.RESOURCE), TensorArrays.FLOW);
    }

    @Override
    public Kernel cpu() {
        return c -> TensorArrays.make(
                c,
                DType.RESOURCE,
                false,
                dtype,
                elementShape,
                dynamicSize,
                clearAfterRead,
                identicalElementShapes,
                tensorArrayName);
    }
}
