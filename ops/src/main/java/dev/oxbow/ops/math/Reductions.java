package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.Reduction;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.Shape;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What reductions over axes share: inference, the kernel, and spreading a gradient back. */
final class Reductions {
    private Reductions() {}

    static List<TensorType> infer(InferenceContext c, boolean keepDims) {
        dev.oxbow.tensor.Shape x = c.shape(0);
        long[] axes = c.longs(1);
        if (!x.isRankKnown()) return List.of(TensorType.of(c.outputDtype(0)));
        if (axes == null) {
            boolean counted = !keepDims && c.shape(1).isFullyKnown();
            return List.of(new TensorType(
                    c.outputDtype(0),
                    keepDims
                            ? dev.oxbow.tensor.Shape.ofRank(x.rank())
                            : counted && c.shape(1).size() == x.rank()
                                    ? dev.oxbow.tensor.Shape.SCALAR
                                    : dev.oxbow.tensor.Shape.UNKNOWN));
        }
        boolean[] reduced = reduced(x.rank(), axes);
        dev.oxbow.tensor.Shape y = dev.oxbow.tensor.Shape.SCALAR;
        for (int i = 0; i < reduced.length; i++) {
            if (!reduced[i]) y = y.concat(dev.oxbow.tensor.Shape.of(x.dim(i)));
            else if (keepDims) y = y.concat(dev.oxbow.tensor.Shape.of(1));
        }
        return List.of(new TensorType(c.outputDtype(0), y));
    }

    static Kernel kernel(Reduction.Operation operation) {
        return c -> {
            Tensor x = c.input(0), axes = c.input(1);
            long[] list = new long[Math.toIntExact(axes.size())];
            for (int i = 0; i < list.length; i++) list[i] = axes.getLong(i);
            boolean[] reduced = reduced(x.shape().rank(), list);
            int[] positions = java.util.stream.IntStream.range(0, reduced.length)
                    .filter(i -> reduced[i])
                    .toArray();
            Reduction.of(operation, x.dtype()).run(c.parallel(), x.shape(), positions, new Tensor[] {x}, c.output(0));
        };
    }

    private static boolean[] reduced(int rank, long[] axes) {
        boolean[] reduced = new boolean[rank];
        for (long a : axes) {
            require(
                    a >= -rank && a < rank,
                    INVALID_ARGUMENT,
                    "Invalid reduction dimension (%d for input with %d dimension(s))",
                    a,
                    rank);
            int i = (int) (a < 0 ? a + rank : a);
            require(
                    !reduced[i],
                    INVALID_ARGUMENT,
                    "Invalid reduction arguments: Axes contains duplicate dimension: %d",
                    a);
            reduced[i] = true;
        }
        return reduced;
    }

    /** {@code dy}, with the reduced axes kept as 1, broadcast to the shape of the reduced input. */
    static Value spread(GradientContext g, Value dy) {
        Value x = g.input(0);
        Value shape = Value.apply(new Shape(DType.I32), x);
        return Value.apply(new BroadcastTo(), keepDims(g, dy), shape);
    }

    /** A value in the output's shape, with the reduced axes kept as 1 so that it broadcasts against the input. */
    static Value keepDims(GradientContext g, Value y) {
        Value shape = Value.apply(new Shape(DType.I32), g.input(0));
        return y.reshape(Value.apply(new ReducedShape(), shape, g.input(1)));
    }
}
