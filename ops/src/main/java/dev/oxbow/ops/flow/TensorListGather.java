package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.UnsortedSegmentSum;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The items with the given positions along a new first axis. */
@Signature(
        "TensorListGather(input_handle: variant, indices: int32, element_shape: int32) -> (values: element_dtype) {element_dtype: type}")
public record TensorListGather(DType elementDtype) implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = Lists.merged(c, 0, 2, elementDtype);
        Shape n = c.shape(1).rank() == 1 ? c.shape(1) : Shape.of(-1);
        return List.of(new TensorType(elementDtype, n.concat(s)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            TensorList l = Lists.of(c, 0, elementDtype);
            long[] positions = Arguments.longs(c.input(1));
            for (long p : positions) Lists.requireIndex(l, p, "gather");
            Shape s = Lists.inferred(l, positions, Lists.merged(l, Lists.shape(c.input(2))));
            require(
                    s.isFullyKnown(),
                    INVALID_ARGUMENT,
                    "Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: %s",
                    s);
            Lists.stack(c, 0, l, positions, s);
        };
    }

    /** The rows of {@code dy} scattered into a list; rows of an item that was taken repeatedly are summed first. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value list = g.input(0), indices = g.input(1), dy = g.gradient(0), length = Lists.length(list);
        Value rows = dy.dtype() == DType.VARIANT
                ? dy
                : Value.apply(new UnsortedSegmentSum(), dy, indices, length).gather(indices, 0);
        Value d = Value.apply(new TensorListScatterV2(), rows, indices, Lists.elementShape(list), length);
        return Arrays.asList(d, null, null);
    }
}
