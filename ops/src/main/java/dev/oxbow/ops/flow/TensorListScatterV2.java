package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** A list of {@code num_elements} items with the rows of a tensor at the given positions. */
@Signature(
        "TensorListScatterV2(tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32) -> (output_handle: variant) {element_dtype: type; shape_type: type in [INT32 INT64]}")
public record TensorListScatterV2() implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = Lists.shape(c, 2), x = c.shape(0);
        return List.of(Lists.type(c.dtype(0), x.rank() > 0 && !s.isFullyKnown() ? x.slice(1, x.rank()) : s));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Lists.give(c, 0, ListScatter.scatter(c, Lists.scalar(c, 3)));
        };
    }

    /** The rows are gathered from the gradient list. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0);
        Value dx = Value.apply(new TensorListGather(x.dtype()), g.gradient(0), g.input(1), Lists.rowShape(x));
        return Arrays.asList(dx, null, null, null);
    }
}
