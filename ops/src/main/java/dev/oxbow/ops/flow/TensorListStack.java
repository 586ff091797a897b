package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** All items of a list along a new first axis. */
@Signature(
        "TensorListStack(input_handle: variant, element_shape: int32) -> (tensor: element_dtype) {element_dtype: type; num_elements: int = -1}")
public record TensorListStack(DType elementDtype, int numElements) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = Lists.merged(c, 0, 1, elementDtype);
        return List.of(new TensorType(elementDtype, Shape.of(numElements).concat(s)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            TensorList l = Lists.of(c, 0, elementDtype);
            require(
                    numElements < 0 || l.size() == numElements,
                    INVALID_ARGUMENT,
                    "Operation expected a list with %d elements but got a list with %d elements.",
                    numElements,
                    l.size());
            Shape s = Lists.inferred(l, Lists.merged(l, Lists.shape(c.input(1))));
            require(
                    s.isFullyKnown(),
                    INVALID_ARGUMENT,
                    l.size() == 0
                            ? "Tried to stack elements of an empty list with non-fully-defined element_shape: %s"
                            : "Tried to stack list which only contains uninitialized tensors and has a"
                                    + " non-fully-defined element_shape: %s",
                    s);
            Lists.stack(c, 0, l, Lists.all(l), s);
        };
    }

    /** A list of the rows of {@code dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0);
        return Arrays.asList(Value.apply(new TensorListFromTensor(), dy, Lists.rowShape(dy)), null);
    }
}
