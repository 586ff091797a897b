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

/** A list without its last item, and that item. */
@Signature(
        "TensorListPopBack(input_handle: variant, element_shape: int32) -> (output_handle: variant, tensor: element_dtype) {element_dtype: type}")
public record TensorListPopBack(DType elementDtype) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = Lists.merged(c, 0, 1, elementDtype);
        return List.of(Lists.type(elementDtype, s), new TensorType(elementDtype, s));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            TensorList l = Lists.of(c, 0, elementDtype);
            require(l.size() > 0, INVALID_ARGUMENT, "Trying to pop from an empty list.");
            Lists.giveItem(c, 1, l, l.size() - 1, Lists.shape(c.input(1)));
            Lists.give(c, 0, l.first(l.size() - 1));
        };
    }

    /** The gradient of the item is pushed back. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value list = g.hasGradient(0)
                ? g.gradient(0)
                : Value.apply(
                        new TensorListReserve(elementDtype),
                        Lists.elementShape(g.output(0)),
                        Lists.length(g.output(0)));
        return Arrays.asList(Value.apply(new TensorListPushBack(elementDtype), list, g.gradient(1)), null);
    }
}
