package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A new axis of length depth with {@code on_value} at the index and {@code off_value} elsewhere. */
@Signature(
        "OneHot(indices: TI, depth: int32, on_value: T, off_value: T) -> (output: T) {axis: int = -1; T: type; TI: type in [UINT8 INT8 INT32 INT64] = INT64}")
public record OneHot(int axis) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        Arguments.scalar("depth", c.shape(1));
        Arguments.scalar("on_value", c.shape(2));
        Arguments.scalar("off_value", c.shape(3));
        require(axis >= -1, INVALID_ARGUMENT, "axis must be >= -1, got %d", axis);
        if (!x.isRankKnown()) return List.of(c.input(2).withShape(Shape.UNKNOWN));
        require(
                axis <= x.rank(),
                INVALID_ARGUMENT,
                "Expected axis to be -1 or between [0, %d). But received: %d",
                x.rank() + 1,
                axis);
        long[] depth = c.longs(1);
        require(
                depth == null || depth[0] >= 0,
                INVALID_ARGUMENT,
                "depth must be non-negative, got: %s",
                depth == null ? "?" : depth[0]);
        int at = axis < 0 ? x.rank() : axis;
        return List.of(c.input(2)
                .withShape(x.slice(0, at)
                        .concat(Shape.of(depth == null ? -1 : depth[0]))
                        .concat(x.slice(at, x.rank()))));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        int at = this.axis < 0 ? c.shape(0).rank() : this.axis;
        if (axis == at) return null;
        int from = axis < at ? axis : axis - 1;
        Pieces cut = new Pieces(new int[] {from, Pieces.WHOLE, Pieces.WHOLE, Pieces.WHOLE}, new int[] {axis}, 1);
        return this.axis < 0 ? cut : cut.apart();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int at = axis < 0 ? c.input(0).shape().rank() : axis;
            if (c.output(0).size() > 0)
                dev.oxbow.kernels.move.OneHot.run(c.input(0), at, c.input(2), c.input(3), c.output(0), c.parallel());
        };
    }
}
