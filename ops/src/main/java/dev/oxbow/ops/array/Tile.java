package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Broadcast;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.Sum;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The input repeated along each dimension. */
@Signature("Tile(input: T, multiples: Tmultiples) -> (output: T) {T: type; Tmultiples: type in [INT32 INT64] = INT32}")
public record Tile() implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        long[] multiples = c.longs(1);
        require(
                c.shape(1).rank() < 0 || c.shape(1).rank() == 1,
                INVALID_ARGUMENT,
                "Expected multiples to be 1-D, but got shape %s",
                c.shape(1));
        if (!x.isRankKnown())
            return List.of(c.input(0).withShape(Shape.ofRank(c.shape(1).dim(0))));
        require(
                c.shape(1).dim(0) < 0 || c.shape(1).dim(0) == x.rank(),
                INVALID_ARGUMENT,
                "Expected multiples argument to be a vector of length %d but got length %d",
                x.rank(),
                c.shape(1).dim(0));
        if (multiples == null) return List.of(c.input(0).withShape(Shape.ofRank(x.rank())));
        return List.of(c.input(0).withShape(tiled(x, multiples)));
    }

    private static Shape tiled(Shape x, long[] multiples) {
        long[] dims = x.dims();
        for (int d = 0; d < dims.length; d++) {
            require(multiples[d] >= 0, INVALID_ARGUMENT, "Expected multiples[%d] >= 0, but got %d", d, multiples[d]);
            dims[d] = Counts.times(dims[d], multiples[d]);
        }
        return Shape.of(dims);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        long[] times = c.longs(1);
        return times == null || times[axis] != 1 ? null : Pieces.along(axis, outputs, axis, Pieces.WHOLE);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            long[] multiples = Arguments.longs(c.input(1));
            Tensor y = c.isAllocated(0)
                    ? c.output(0)
                    : c.allocate(0, tiled(c.input(0).shape(), multiples));
            if (y.size() > 0) Broadcast.tile(c.input(0), multiples, y, c.parallel());
        };
    }

    /** {@code dx} = dy summed over the repetitions, which become dimensions of their own. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), shape = x.runtimeShape(), multiples = g.input(1).cast(DType.I32);
        Ops ops = g.ops();
        Value apart = Value.apply(new Pack(1), multiples, shape).reshape(-1);
        Value zero = ops.constant(DType.I32, 0), two = ops.constant(DType.I32, 2);
        Value axes = Value.apply(new Range(), zero, apart.runtimeSize(), two);
        Value sum = Value.apply(new Sum(false), g.gradient(0).reshape(apart), axes);
        return Arrays.asList(sum.reshape(shape), null);
    }
}
