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
import java.util.List;

/** A list and one item more at its end. */
@Signature(
        "TensorListPushBack(input_handle: variant, tensor: element_dtype) -> (output_handle: variant) {element_dtype: type}")
public record TensorListPushBack(DType elementDtype) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(
                Lists.type(elementDtype, Lists.element(c, 0, elementDtype).shape()));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            TensorList l = Lists.of(c, 0, elementDtype);
            require(
                    l.elementShape().isCompatibleWith(c.input(1).shape()),
                    INVALID_ARGUMENT,
                    "Tried to append a tensor with incompatible shape to a list. Op element shape: %s list shape: %s",
                    c.input(1).shape(),
                    l.elementShape());
            require(
                    l.limit() < 0 || l.size() < l.limit(),
                    INVALID_ARGUMENT,
                    "Tried to push item into a full list list size: %d max_num_elements: %d",
                    l.size(),
                    l.limit());
            Lists.give(c, 0, l.with(c.keep(1)));
        };
    }

    /** The item is popped off the gradient list. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value shape = g.input(1).runtimeShape();
        return Value.applyAll(new TensorListPopBack(elementDtype), g.gradient(0), shape);
    }
}
