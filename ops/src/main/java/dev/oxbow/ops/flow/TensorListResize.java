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
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** A list cut or filled up with items that are not set. */
@Signature("TensorListResize(input_handle: variant, size: int32) -> (output_handle: variant)")
public record TensorListResize() implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            TensorList l = Lists.of(c, 0);
            int n = Lists.scalar(c, 1);
            require(n >= 0, INVALID_ARGUMENT, "TensorListSlice expects size to be non-negative. Got: %d", n);
            Lists.give(
                    c,
                    0,
                    n <= l.size() ? l.first(n) : TensorList.of(l.dtype(), l.elementShape(), l.limit(), l.items(n)));
        };
    }

    /** The gradient list in the old size. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Value.apply(new TensorListResize(), g.gradient(0), Lists.length(g.input(0))), null);
    }
}
