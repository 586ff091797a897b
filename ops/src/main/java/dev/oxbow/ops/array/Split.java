package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The input cut into equal parts along an axis. */
@Signature("Split(split_dim: int32, value: T) -> (output: num_split*T) {num_split: int >= 1; T: type}")
public record Split(int numSplit) implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.scalar("split_dim", c.shape(0));
        Shape x = c.shape(1);
        long[] axis = c.longs(0);
        if (!x.isRankKnown()) return Collections.nCopies(numSplit, c.input(1));
        if (axis == null) return Collections.nCopies(numSplit, c.input(1).withShape(Shape.ofRank(x.rank())));
        int at = Arguments.axis(axis[0], x.rank());
        require(
                x.dim(at) < 0 || x.dim(at) % numSplit == 0,
                INVALID_ARGUMENT,
                "Number of ways to split should evenly divide the split dimension, but got split_dim %d (size = %d) and num_split %d",
                at,
                x.dim(at),
                numSplit);
        Shape part = x.withDim(at, x.dim(at) < 0 ? -1 : x.dim(at) / numSplit);
        return Collections.nCopies(numSplit, c.input(1).withShape(part));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        Long along = c.number(0);
        if (along == null || axis == Math.floorMod(along, (long) c.shape(1).rank())) return null;
        return Pieces.along(axis, outputs, Pieces.WHOLE, axis);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(1);
            int at = Arguments.axis(c.input(0).getLong(0), x.shape().rank());
            long[] sizes = new long[numSplit];
            Arrays.fill(sizes, x.shape().dim(at) / numSplit);
            Cuts.run(c, x, at, sizes);
        };
    }

    /** The gradients joined again. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(null, Cuts.join(g, numSplit, g.input(0)));
    }
}
