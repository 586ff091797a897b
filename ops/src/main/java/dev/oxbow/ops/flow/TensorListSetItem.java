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
import dev.oxbow.ops.array.ZerosLike;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** A list in which item {@code index} is another. */
@Signature(
        "TensorListSetItem(input_handle: variant, index: int32, item: element_dtype) -> (output_handle: variant) {element_dtype: type; resize_if_index_out_of_bounds: bool = false}")
public record TensorListSetItem(DType elementDtype, boolean resizeIfIndexOutOfBounds)
        implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(
                Lists.type(elementDtype, Lists.element(c, 0, elementDtype).shape()));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            TensorList l = Lists.of(c, 0, elementDtype);
            int index = Lists.scalar(c, 1);
            int size = resizeIfIndexOutOfBounds && index >= l.size() ? index + 1 : l.size();
            require(
                    index >= 0 && index < size,
                    INVALID_ARGUMENT,
                    "Trying to modify element %d in a list with %d elements.",
                    index,
                    l.size());
            require(
                    l.elementShape().isCompatibleWith(c.input(2).shape()),
                    INVALID_ARGUMENT,
                    "Tried to set a tensor with incompatible shape at a list index. Item element shape: %s list shape: %s",
                    c.input(2).shape(),
                    l.elementShape());
            Tensor[] items = l.items(size);
            if (items[index] != null) items[index].release();
            items[index] = c.keep(2);
            Lists.give(c, 0, TensorList.of(elementDtype, l.elementShape(), l.limit(), items));
        };
    }

    /** The item's gradient is at its place; the list's is zero there. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0), item = g.input(2);
        Value zero = Value.apply(new ZerosLike(), item);
        Value list = Value.apply(new TensorListSetItem(elementDtype, false), dy, g.input(1), zero);
        if (resizeIfIndexOutOfBounds) list = Value.apply(new TensorListResize(), list, Lists.length(g.input(0)));
        Value at = Value.apply(new TensorListGetItem(elementDtype), dy, g.input(1), item.runtimeShape());
        return Arrays.asList(list, null, at);
    }
}
