package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Broadcast;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** One value everywhere. */
@Signature("Fill(dims: index_type, value: T) -> (output: T) {T: type; index_type: type in [INT32 INT64] = INT32}")
public record Fill() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                c.shape(0).rank() <= 1,
                INVALID_ARGUMENT,
                "dims must be a vector or a number, got shape %s",
                c.shape(0));
        Arguments.scalar("value", c.shape(1));
        long[] dims = c.longs(0);
        if (dims != null && c.shape(0).isFullyKnown())
            for (long d : dims)
                require(d >= 0 || c.constant(1) == null, INVALID_ARGUMENT, "Dimension %d must be >= 0", d);
        if (c.shape(0).rank() == 0) return List.of(new TensorType(c.dtype(1), Shape.of(dims == null ? -1 : dims[0])));
        return List.of(new TensorType(c.dtype(1), c.shapeValue(0)));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return Pieces.along(axis, outputs, Pieces.SHAPE, Pieces.WHOLE);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.isAllocated(0) ? c.output(0) : c.allocate(0, Shape.of(Arguments.longs(c.input(0))));
            Broadcast.fill(c.input(1), y, c.parallel());
        };
    }

    /** {@code dvalue = sum(dy)}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(null, g.gradient(0).sum());
    }
}
