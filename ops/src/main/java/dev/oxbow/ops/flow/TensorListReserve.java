package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** A list of {@code num_elements} items that are not set yet. */
@Signature(
        "TensorListReserve(element_shape: shape_type, num_elements: int32) -> (handle: variant) {element_dtype: type; shape_type: type in [INT32 INT64]}")
public record TensorListReserve(DType elementDtype) implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        return List.of(Lists.type(elementDtype, Lists.shape(c, 0)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int n = Lists.scalar(c, 1);
            require(
                    n >= 0,
                    INVALID_ARGUMENT,
                    "The num_elements to reserve must be a non negative number, but got %d",
                    n);
            Lists.give(c, 0, TensorList.of(elementDtype, Lists.shape(c.input(0)), -1, Counts.array(n, Tensor[]::new)));
        };
    }
}
