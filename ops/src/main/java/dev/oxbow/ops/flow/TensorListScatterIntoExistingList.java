package dev.oxbow.ops.flow;

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
import java.util.Arrays;
import java.util.List;

/** A list in which the items at the given positions are the rows of a tensor. */
@Signature(
        "TensorListScatterIntoExistingList(input_handle: variant, tensor: element_dtype, indices: int32) -> (output_handle: variant) {element_dtype: type}")
public record TensorListScatterIntoExistingList(DType elementDtype) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(
                Lists.type(elementDtype, Lists.element(c, 0, elementDtype).shape()));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Lists.give(c, 0, ListScatter.into(c, Lists.of(c, 0, elementDtype)));
        };
    }

    /** The rows are gathered from the gradient list, which is zero there for the old list. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0), x = g.input(1);
        Value zeros = Value.apply(new ZerosLike(), x);
        Value list = Value.apply(new TensorListScatterIntoExistingList(elementDtype), dy, zeros, g.input(2));
        Value dx = Value.apply(new TensorListGather(elementDtype), dy, g.input(2), Lists.rowShape(x));
        return Arrays.asList(list, dx, null);
    }
}
