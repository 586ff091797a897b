package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Rounding to the levels of a signed or unsigned range around zero while staying floating. */
record QuantizedRange(double low, double high, double scale, boolean halfUp) {

    /** The levels of {@code bits} bits between limits that are widened so that zero is a level; null for an empty range. */
    static QuantizedRange of(double min, double max, int bits, boolean signed, boolean narrow, boolean halfUp) {
        double least = signed ? -Math.pow(2, bits - 1) + (narrow ? 1 : 0) : 0;
        double most = signed ? Math.pow(2, bits - 1) - 1 : Math.pow(2, bits) - 1;
        double fromMin = least * min > 0 ? least / min : Double.MAX_VALUE;
        double fromMax = most * max > 0 ? most / max : Double.MAX_VALUE;
        double scale = Math.min(fromMin, fromMax);
        if (scale == Double.MAX_VALUE) return null;
        return fromMin < fromMax
                ? new QuantizedRange(min, most / scale, scale, halfUp)
                : new QuantizedRange(least / scale, max, scale, halfUp);
    }

    /** The level nearest to x; limits that follow from the values need no clipping. */
    double apply(double x, boolean clip) {
        double level = (clip ? Math.max(low, Math.min(high, x)) : x) * scale;
        return (halfUp ? Math.floor(level + 0.5) : Math.rint(level)) / scale;
    }

    /** What the ops need to know besides the values. */
    record Settings(boolean signed, boolean given, boolean narrow, boolean halfUp, int axis) {}

    /** {@code y} = x on the levels of its limits, which are given or those of the values, for all or per channel. */
    static void run(Tensor x, Tensor min, Tensor max, int bits, Settings s, Tensor y) {
        require(
                bits > 0 && bits < (s.signed ? 62 : 63),
                INVALID_ARGUMENT,
                "num_bits is out of range: %d with signed_input %s",
                bits,
                s.signed);
        int channels = 1;
        long inner = 1;
        if (s.axis >= 0) {
            channels = Counts.toInt(x.shape().dim(s.axis));
            inner = x.shape().size(s.axis + 1, x.shape().rank());
        }
        double[] low = Counts.array(channels, double[]::new), high = low.clone();
        if (!s.given && x.size() > 0) {
            Arrays.fill(low, Double.POSITIVE_INFINITY);
            Arrays.fill(high, Double.NEGATIVE_INFINITY);
            for (long i = 0; i < x.size(); i++) {
                int c = (int) (i / inner % channels);
                low[c] = Math.min(low[c], x.getDouble(i));
                high[c] = Math.max(high[c], x.getDouble(i));
            }
        } else if (s.given) {
            for (int c = 0; c < channels; c++) {
                low[c] = min.getDouble(min.size() == 1 ? 0 : c);
                high[c] = max.getDouble(max.size() == 1 ? 0 : c);
                require(
                        low[c] <= high[c],
                        INVALID_ARGUMENT,
                        "Invalid range: input_min %s > input_max %s",
                        low[c],
                        high[c]);
            }
        }
        if (x.size() == 0) return;
        QuantizedRange[] ranges = Counts.array(channels, QuantizedRange[]::new);
        for (int c = 0; c < channels; c++) ranges[c] = of(low[c], high[c], bits, s.signed, s.narrow, s.halfUp);
        for (long i = 0; i < x.size(); i++) {
            QuantizedRange r = ranges[(int) (i / inner % channels)];
            y.set(i, r == null ? x.getDouble(i) : r.apply(x.getDouble(i), s.given));
        }
    }

    /** Checks the limits of an op whose inputs 1 and 2 they are. */
    static List<TensorType> infer(InferenceContext c, int axis) {
        Shape x = c.shape(0);
        require(axis >= -1, INVALID_ARGUMENT, "axis should be at least -1, got %d", axis);
        require(
                x.rank() < 0 || axis < x.rank(),
                INVALID_ARGUMENT,
                "axis %d should be less than the rank of the input %s",
                axis,
                x);
        for (int i = 1; i < 3; i++) {
            if (axis < 0) Arguments.scalar("input_min and input_max", c.shape(i));
            else Arguments.rank("input_min and input_max", c.shape(i), 1);
        }
        return List.of(c.input(0));
    }
}
