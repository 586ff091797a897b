package dev.oxbow.ops.quantised;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Each channel of each image with mean 0 and variance 1, as levels between its limits or given ones. */
@Signature(
        "QuantizedInstanceNorm(x: T, x_min: float, x_max: float) -> (y: T, y_min: float, y_max: float) {T: type in [QUANTISED]; output_range_given: bool = false; given_y_min: float = 0; given_y_max: float = 0; variance_epsilon: float = 1e-05; min_separation: float = 0.001}")
public record QuantizedInstanceNorm(
        boolean outputRangeGiven, float givenYMin, float givenYMax, float varianceEpsilon, float minSeparation)
        implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 4);
        Ranged.limits(c, 1, 3);
        return Ranged.types(c, c.shape(0));
    }

    @Override
    public Kernel cpu() {
        require(
                !outputRangeGiven || givenYMin < givenYMax,
                INVALID_ARGUMENT,
                "given_y_min must be less than given_y_max : %s >= %s",
                givenYMin,
                givenYMax);
        return c -> {
            Levels of = Levels.of(c.input(0), c, 1);
            require(
                    of.low() < of.high(),
                    INVALID_ARGUMENT,
                    "input_min must be less than input_max : %s >= %s",
                    of.low(),
                    of.high());
            float[] normed = normed(c.input(0), (of.high() - of.low()) / 255f);
            float low = givenYMin, high = givenYMax;
            if (!outputRangeGiven) {
                low = Float.MAX_VALUE;
                high = -Float.MAX_VALUE;
                for (float v : normed) {
                    low = Math.min(low, v);
                    high = Math.max(high, v);
                }
            }
            if (high - low < minSeparation) high = low + minSeparation;
            Levels to = new Levels(c.output(0).dtype(), low, high);
            for (int i = 0; i < normed.length; i++) c.output(0).setLong(i, to.brieflyOf(normed[i]));
            Ranged.give(c, to);
        };
    }

    private float[] normed(Tensor x, float scale) {
        Shape s = x.shape();
        int channels = Counts.toInt(s.dim(3));
        long pixels = s.dim(1) * s.dim(2);
        float[] y = Counts.array(x.size(), float[]::new);
        for (long n = 0; n < s.dim(0); n++)
            for (int c = 0; c < channels; c++) {
                long first = n * pixels * channels + c;
                double sum = 0, squares = 0;
                for (long p = 0; p < pixels; p++) sum += x.getLong(first + p * channels);
                float mean = (float) (sum / pixels);
                for (long p = 0; p < pixels; p++) {
                    float d = scale * (x.getLong(first + p * channels) - mean);
                    squares += d * d;
                }
                float inverse = (float) (1 / Math.sqrt((float) (squares / pixels) + varianceEpsilon));
                for (long p = 0; p < pixels; p++) {
                    int at = (int) (first + p * channels);
                    y[at] = scale * (x.getLong(at) - mean) * inverse;
                }
            }
        return y;
    }
}
