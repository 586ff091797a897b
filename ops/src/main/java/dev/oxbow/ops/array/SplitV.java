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
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The input cut into parts of given sizes along an axis; one size may be -1 and follows. */
@Signature(
        "SplitV(value: T, size_splits: Tlen, split_dim: int32) -> (output: num_split*T) {num_split: int >= 1; T: type; Tlen: type in [INT8 INT32 INT64] = INT64}")
public record SplitV(int numSplit) implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                !c.shape(2).isFullyKnown() || c.shape(2).size() == 1,
                INVALID_ARGUMENT,
                "split_dim_tensor must have exactly one element, got shape %s",
                c.shape(2));
        Shape x = c.shape(0);
        long[] sizes = c.longs(1), axis = c.longs(2);
        if (sizes != null)
            require(
                    sizes.length == numSplit,
                    INVALID_ARGUMENT,
                    "size_splits must have %d elements, got %s",
                    numSplit,
                    c.shape(1));
        if (!x.isRankKnown()) return Collections.nCopies(numSplit, c.input(0));
        if (axis == null) return Collections.nCopies(numSplit, c.input(0).withShape(Shape.ofRank(x.rank())));
        int at = Arguments.axis(axis[0], x.rank());
        if (sizes == null)
            return Collections.nCopies(numSplit, c.input(0).withShape(x.withDim(at, numSplit == 1 ? x.dim(at) : -1)));
        List<TensorType> types = new ArrayList<>();
        for (long n : resolve(sizes, x.dim(at))) types.add(c.input(0).withShape(x.withDim(at, n)));
        return types;
    }

    /** The sizes with -1 resolved where {@code total} is known. */
    private static long[] resolve(long[] sizes, long total) {
        long sum = 0;
        int open = -1;
        for (int i = 0; i < sizes.length; i++) {
            require(sizes[i] >= -1, INVALID_ARGUMENT, "Split size at index %d must be >= 0, got %d", i, sizes[i]);
            require(
                    sizes[i] >= 0 || open < 0,
                    INVALID_ARGUMENT,
                    "There can only be one -1 in the input sizes, got %s",
                    Arrays.toString(sizes));
            if (sizes[i] < 0) open = i;
            else sum = Counts.plus(sum, sizes[i]);
        }
        if (total < 0) return sizes;
        require(
                open < 0 ? sum == total : sum <= total,
                INVALID_ARGUMENT,
                "split sizes must sum to %d along the axis, got %s",
                total,
                Arrays.toString(sizes));
        long[] all = sizes.clone();
        if (open >= 0) all[open] = total - sum;
        return all;
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        Long along = c.number(2);
        if (along == null || axis == Math.floorMod(along, (long) c.shape(0).rank())) return null;
        return Pieces.along(axis, outputs, axis, Pieces.WHOLE, Pieces.WHOLE);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            int at = Arguments.axis(c.input(2).getLong(0), x.shape().rank());
            Cuts.run(c, x, at, resolve(Arguments.longs(c.input(1)), x.shape().dim(at)));
        };
    }

    /** The gradients joined again. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Cuts.join(g, numSplit, g.input(2)), null, null);
    }
}
