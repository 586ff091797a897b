package dev.oxbow.ops.quantised;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What concatenations of levels share: values, their limits, and the axis before or behind the values. */
final class LevelJoins {
    private LevelJoins() {}

    private static int count(int inputs) {
        return (inputs - 1) / 3;
    }

    static List<TensorType> infer(InferenceContext c, boolean axisFirst) {
        int n = count(c.inputCount()), first = axisFirst ? 1 : 0;
        Ranged.limits(c, n + 1, c.inputCount());
        c.scalar(axisFirst ? 0 : n);
        long[] axis = c.longs(axisFirst ? 0 : n);
        Shape joined = c.shape(first);
        for (int i = first + 1; i < first + n; i++) {
            require(
                    !joined.isRankKnown()
                            || !c.shape(i).isRankKnown()
                            || joined.rank() == c.shape(i).rank(),
                    INVALID_ARGUMENT,
                    "Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s",
                    joined,
                    i - first,
                    c.shape(i));
            if (!joined.isRankKnown()) joined = c.shape(i);
        }
        if (!joined.isRankKnown()) return Ranged.types(c, joined);
        require(joined.rank() > 0, INVALID_ARGUMENT, "Can't concatenate scalars (use tf.stack instead)");
        if (axis == null) return Ranged.types(c, Shape.ofRank(joined.rank()));
        int at = Arguments.axis(axis[0], joined.rank());
        long total = 0;
        Shape others = joined.withDim(at, -1);
        for (int i = first; i < first + n; i++) {
            Shape s = c.shape(i).isRankKnown() ? c.shape(i) : Shape.ofRank(joined.rank());
            total = Counts.plus(total, s.dim(at));
            others = Arguments.merge(others, s.withDim(at, -1));
        }
        return Ranged.types(c, others.withDim(at, total));
    }

    static void run(KernelContext c, boolean axisFirst) {
        int n = count(c.inputCount()), first = axisFirst ? 1 : 0;
        float low = Float.MAX_VALUE, high = -Float.MAX_VALUE;
        for (int i = 0; i < n; i++) {
            low = Math.min(low, Levels.limit(c, n + 1 + i));
            high = Math.max(high, Levels.limit(c, 2 * n + 1 + i));
        }
        Levels to = around(c.input(first).dtype(), low, high);
        Tensor y = c.output(0);
        int at = Arguments.axis(c.input(axisFirst ? 0 : n).getLong(0), y.shape().rank());
        long inner = y.shape().size(at + 1, y.shape().rank()), row = y.shape().dim(at) * inner, begin = 0;
        for (int i = 0; i < n; i++) {
            Tensor x = c.input(first + i);
            Levels from = new Levels(x.dtype(), Levels.limit(c, n + 1 + i), Levels.limit(c, 2 * n + 1 + i));
            boolean same = from.low() == to.low() && from.high() == to.high();
            long part = x.shape().dim(at) * inner;
            for (long k = 0; k < x.size(); k++) {
                long level = x.getLong(k);
                y.setLong(k / part * row + begin + k % part, same ? level : to.brieflyOf(from.briefly(level)));
            }
            begin += part;
        }
        Ranged.give(c, to);
    }

    /** Limits around zero: as far from it on both sides where levels have a sign. */
    private static Levels around(DType type, float low, float high) {
        if (Levels.least(type) == 0) return new Levels(type, Math.min(low, 0), high);
        float most = Math.max(Math.abs(low), Math.abs(high));
        return new Levels(type, -most, most);
    }
}
