package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.reduce.ArgReduction;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What ArgMax and ArgMin share. */
final class ArgReductions {
    private ArgReductions() {}

    static List<TensorType> infer(InferenceContext c, DType outputType) {
        Shape x = c.shape(0);
        Arguments.scalar("dim", c.shape(1));
        long[] axis = c.longs(1);
        if (!x.isRankKnown()) return List.of(TensorType.of(outputType));
        int rank = Math.max(1, x.rank());
        if (axis == null) return List.of(new TensorType(outputType, Shape.ofRank(rank - 1)));
        require(
                axis[0] >= -rank && axis[0] < rank,
                INVALID_ARGUMENT,
                "Expected dimension in the range [%d, %d), but got %d",
                -rank,
                rank,
                axis[0]);
        if (x.rank() == 0) return List.of(new TensorType(outputType, x));
        int at = Arguments.axis(axis[0], rank);
        require(x.dim(at) != 0, INVALID_ARGUMENT, "Reduction axis %d is empty in shape %s", at, x);
        return List.of(new TensorType(outputType, x.withoutDim(at)));
    }

    /** Along the axes that stay. */
    static Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        Long along = c.number(1);
        if (along == null) return null;
        int at = Arguments.axis(along, c.shape(0).rank());
        return Pieces.along(axis, outputs, axis < at ? axis : axis + 1, Pieces.WHOLE);
    }

    static void run(KernelContext c, ArgReduction reduction) {
        Tensor x = c.input(0), y = c.output(0);
        if (x.shape().rank() == 0) y.setLong(0, 0);
        else if (y.size() > 0)
            reduction.run(
                    c.parallel(),
                    x,
                    Arguments.axis(c.input(1).getLong(0), x.shape().rank()),
                    y);
    }
}
