package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A value that must be fed, under its second name. */
@Signature("PlaceholderV2() -> (output: dtype) {dtype: type; shape: shape}")
public record PlaceholderV2(DType dtype, Shape shape) implements NotDifferentiable, Asking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(dtype, shape));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "You must feed a value for placeholder tensor '%s' with dtype %s and shape %s"
                            .formatted(c.node(), dtype.inWords(), shape));
        };
    }
}
