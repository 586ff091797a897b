package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** Item {@code index} of a list; zeros when it is not set and its shape is known. */
@Signature(
        "TensorListGetItem(input_handle: variant, index: int32, element_shape: int32) -> (item: element_dtype) {element_dtype: type}")
public record TensorListGetItem(DType elementDtype) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(elementDtype, Lists.merged(c, 0, 2, elementDtype)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            TensorList l = Lists.of(c, 0, elementDtype);
            int index = Lists.scalar(c, 1);
            Lists.requireIndex(l, index, "access");
            Lists.giveItem(c, 0, l, index, Lists.shape(c.input(2)));
        };
    }

    /** A list in which only this item is set. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value list = g.input(0);
        Value empty = Value.apply(new TensorListReserve(elementDtype), Lists.elementShape(list), Lists.length(list));
        Value set = Value.apply(new TensorListSetItem(elementDtype, false), empty, g.input(1), g.gradient(0));
        return Arrays.asList(set, null, null);
    }
}
