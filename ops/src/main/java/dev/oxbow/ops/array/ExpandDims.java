package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The input with a dimension of size 1 at {@code dim}. */
@Signature("ExpandDims(input: T, dim: Tdim) -> (output: T) {T: type; Tdim: type in [INT32 INT64] = INT32}")
public record ExpandDims() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.single(1);
        long[] at = c.longs(1);
        Shape x = c.shape(0);
        if (!x.isRankKnown()) return List.of(c.input(0).withShape(Shape.UNKNOWN));
        return List.of(c.input(0).withShape(at == null ? Shape.ofRank(x.rank() + 1) : expanded(x, at[0])));
    }

    private static Shape expanded(Shape x, long at) {
        require(
                at >= -1 - x.rank() && at <= x.rank(),
                INVALID_ARGUMENT,
                "Tried to expand dim index %d for tensor with %d dimensions.",
                at,
                x.rank());
        int d = (int) (at < 0 ? at + x.rank() + 1 : at);
        return x.slice(0, d).concat(Shape.of(1)).concat(x.slice(d, x.rank()));
    }

    @Override
    public int view() {
        return 0;
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        Long at = c.number(1);
        if (at == null) return null;
        long made = Math.floorMod(at, (long) outputs.get(0).shape().rank());
        return axis == made ? null : Pieces.along(axis, outputs, axis < made ? axis : axis - 1, Pieces.WHOLE);
    }

    @Override
    public Kernel cpu() {
        return c -> c.forward(0, 0, expanded(c.input(0).shape(), c.input(1).getLong(0)));
    }

    /** {@code dx = dy} in the shape of x. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Reshaping.back(g), null);
    }
}
