package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/**
 * Adds fixed waves that say where in a sequence a value is (Vaswani et al., 2017): {@code sin(t / 10000^(2i / n))} to
 * channel {@code 2i} of {@code n} at time {@code t}, and the cosine to channel {@code 2i + 1}.
 */
public record Sinusoids() implements Layer {
    private static final double LONGEST = 10_000;

    @Override
    public Value apply(Build b, Value x) {
        long time = x.shape().dim(1), channels = x.shape().dim(2);
        require(time >= 0 && channels >= 0, INVALID_ARGUMENT, "Sinusoids: needs known sizes, got %s", x.shape());
        Tensor waves = Tensor.zeros(x.dtype(), Shape.of(time, channels));
        for (long t = 0; t < time; t++)
            for (long c = 0; c < channels; c++) {
                double angle = t / Math.pow(LONGEST, (double) (c - c % 2) / channels);
                waves.set(t * channels + c, c % 2 == 0 ? Math.sin(angle) : Math.cos(angle));
            }
        return x.plus(b.ops().constant(waves));
    }

    @Override
    public String kind() {
        return "positions";
    }
}
