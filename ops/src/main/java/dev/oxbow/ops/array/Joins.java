package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.FloorMod;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** What concatenations share. */
final class Joins {
    private Joins() {}

    /** The shape of inputs [from, from + n) joined along {@code axis}, which may be unknown (null). */
    static Shape infer(InferenceContext c, int from, int n, long[] axis) {
        int rank = -1;
        if (axis != null && c.shape(from).isRankKnown())
            requireAxis(axis[0], c.shape(from).rank());
        for (int i = from; i < from + n; i++) {
            Shape s = c.shape(i);
            if (!s.isRankKnown()) continue;
            require(
                    rank < 0 || s.rank() == rank,
                    INVALID_ARGUMENT,
                    "Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s",
                    c.shape(from),
                    i - from,
                    s);
            rank = s.rank();
        }
        if (rank < 0) return Shape.UNKNOWN;
        if (axis == null) {
            require(rank > 0, INVALID_ARGUMENT, "Can't concatenate scalars (use tf.stack instead)");
            return Shape.ofRank(rank);
        }
        requireAxis(axis[0], rank);
        int at = (int) (axis[0] < 0 ? axis[0] + rank : axis[0]);
        long total = 0;
        Shape joined = Shape.ofRank(rank);
        for (int i = from; i < from + n; i++) {
            Shape s = c.shape(i).isRankKnown() ? c.shape(i) : Shape.ofRank(rank);
            total = total < 0 || s.dim(at) < 0 ? -1 : total + s.dim(at);
            Shape both = joined.merge(s.withDim(at, -1));
            require(
                    both != null,
                    INVALID_ARGUMENT,
                    "Dimensions of inputs should match: shape[0] = %s vs. shape[%d] = %s",
                    c.shape(from),
                    i - from,
                    s);
            joined = both;
        }
        return joined.withDim(at, total);
    }

    static void run(KernelContext c, int from, int n, long axis) {
        List<Tensor> parts = new ArrayList<>();
        for (int i = from; i < from + n; i++) parts.add(c.input(i));
        Shape s = parts.get(0).shape();
        int at = (int) (axis < 0 ? axis + s.rank() : axis);
        long total = 0;
        for (Tensor t : parts) total += t.shape().dim(at);
        Tensor y = c.isAllocated(0) ? c.output(0) : c.allocate(0, s.withDim(at, total));
        dev.oxbow.kernels.move.Concat.join(parts, at, y, c.parallel());
    }

    /** The gradient cut apart where the values were joined. */
    static List<Value> gradient(GradientContext g, int from, int n, Value axis) {
        Value dy = g.gradient(0);
        if (n == 1) return List.of(dy);
        Value[] values = new Value[n];
        for (int i = 0; i < n; i++) values[i] = g.input(from + i);
        Value rank = values[0].runtimeRank();
        Value positive = Value.apply(new FloorMod(), axis.cast(DType.I32).plus(rank), rank);
        List<Value> shapes = Value.applyAll(new ShapeN(DType.I32), values);
        List<Value> arguments = new ArrayList<>(List.of(positive));
        arguments.addAll(shapes);
        List<Value> offsets = Value.applyAll(new ConcatOffset(), arguments.toArray(Value[]::new));
        List<Value> parts = new ArrayList<>();
        for (int i = 0; i < n; i++) parts.add(Value.apply(new Slice(), dy, offsets.get(i), shapes.get(i)));
        return parts;
    }

    private static void requireAxis(long axis, int rank) {
        require(
                axis >= -rank && axis < rank,
                INVALID_ARGUMENT,
                "Expected concatenating dimensions in the range [%d, %d), but got %d",
                -rank,
                rank,
                axis);
    }
}
