package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.DynamicStitch;
import dev.oxbow.ops.array.Fill;
import dev.oxbow.ops.array.Range;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** A reduction over the axes in input 1: all but its operation and its gradient. */
interface AxisReduction extends Reducing {
    boolean keepDims();

    @Override
    default List<TensorType> infer(InferenceContext c) {
        return infer(c, keepDims());
    }

    /** Along axes that are not reduced. */
    @Override
    default Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        long[] axes = c.longs(1);
        int rank = c.shape(0).rank();
        if (axes == null) return null;
        boolean[] reduced = reduced(rank, axes);
        boolean keeps = outputs.get(0).shape().rank() == rank;
        int from = 0;
        for (int at = 0; at < axis || !keeps && reduced[from]; from++) if (keeps || !reduced[from]) at++;
        if (reduced[from]) return null;
        Pieces cut = new Pieces(new int[] {from, Pieces.WHOLE}, new int[] {axis}, 1);
        return rank > 1 ? cut : cut.apart();
    }

    /** The axes, where their values are known. */
    @Override
    default int[] axes(InferenceContext c) {
        long[] axes = c.longs(1);
        if (axes == null || !c.shape(0).isRankKnown()) return null;
        return indices(reduced(c.shape(0).rank(), axes));
    }

    /** Along no axes, the output is the input. */
    @Override
    default int viewOf(InferenceContext c, List<TensorType> outputs) {
        int[] axes = axes(c);
        return axes != null && axes.length == 0 ? 0 : -1;
    }

    @Override
    default Kernel cpu() {
        Operation operation = operation();
        return c -> {
            Tensor x = c.input(0);
            int[] axes = axes(x.shape().rank(), c.input(1));
            Reduction.of(operation, x.dtype()).run(c.parallel(), x.shape(), axes, new Tensor[] {x}, c.output(0));
        };
    }

    private static List<TensorType> infer(InferenceContext c, boolean keepDims) {
        Shape x = c.shape(0);
        long[] axes = c.longs(1);
        if (!x.isRankKnown()) return List.of(new TensorType(c.outputDtype(0), Shape.UNKNOWN));
        if (axes == null) {
            boolean all = !keepDims && c.shape(1).isFullyKnown() && c.shape(1).size() == x.rank();
            Shape open = keepDims ? Shape.ofRank(x.rank()) : all ? Shape.SCALAR : Shape.UNKNOWN;
            return List.of(new TensorType(c.outputDtype(0), open));
        }
        boolean[] reduced = reduced(x.rank(), axes);
        Shape y = Shape.SCALAR;
        for (int i = 0; i < reduced.length; i++) {
            if (!reduced[i]) y = y.concat(Shape.of(x.dim(i)));
            else if (keepDims) y = y.concat(Shape.of(1));
        }
        return List.of(new TensorType(c.outputDtype(0), y));
    }

    private static int[] axes(int rank, Tensor axes) {
        return indices(reduced(rank, Arguments.longs(axes)));
    }

    private static int[] indices(boolean[] reduced) {
        int[] all = new int[reduced.length];
        int n = 0;
        for (int i = 0; i < reduced.length; i++) if (reduced[i]) all[n++] = i;
        return Arrays.copyOf(all, n);
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
        return Value.apply(new BroadcastTo(), keepDims(g, dy), g.input(0).runtimeShape());
    }

    /** A value in the output's shape, with the reduced axes kept as 1 so that it broadcasts against the input. */
    static Value keepDims(GradientContext g, Value y) {
        return y.reshape(keptShape(g));
    }

    /** The shape of the output with the reduced axes kept as 1. */
    static Value keptShape(GradientContext g) {
        Value shape = g.input(0).runtimeShape(), axes = g.input(1).cast(DType.I32);
        Value zero = g.ops().constant(DType.I32, 0), one = g.ops().constant(DType.I32, 1);
        Value rank = g.input(0).runtimeRank();
        Value positive = Value.apply(new FloorMod(), axes.plus(rank), rank);
        Value all = Value.apply(new Range(), zero, rank, one);
        Value ones = Value.apply(new Fill(), positive.runtimeShape(), one);
        return Value.apply(new DynamicStitch(), all, positive, shape, ones);
    }

    /** The gradient of Max and Min: shared evenly by the elements that were chosen. */
    static List<Value> share(GradientContext g) {
        Value x = g.input(0), y = keepDims(g, g.output(0)), dy = keepDims(g, g.gradient(0));
        Value chosen = x.equalTo(y).cast(dy.dtype());
        Value count = Value.apply(new Sum(false), chosen, g.input(1)).reshape(keptShape(g));
        return Arrays.asList(chosen.dividedBy(count).times(dy), null);
    }
}
