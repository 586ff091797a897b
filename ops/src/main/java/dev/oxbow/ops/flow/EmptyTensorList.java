package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import java.util.List;

/** An empty list for tensors of one dtype and a partial shape. */
@Signature(
        "EmptyTensorList(element_shape: shape_type, max_num_elements: int32) -> (handle: variant) {element_dtype: type; shape_type: type in [INT32 INT64]}")
public record EmptyTensorList(DType elementDtype) implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(Lists.type(elementDtype, Lists.shape(c, 0)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int limit = Lists.scalar(c, 1);
            Lists.give(c, 0, TensorList.of(elementDtype, Lists.shape(c.input(0)), limit));
        };
    }
}
