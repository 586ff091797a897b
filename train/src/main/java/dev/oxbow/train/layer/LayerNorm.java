package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;

/** {@code y = (x - mean) / sqrt(variance + epsilon) * scale + offset} by the moments of the last axis (Ba et al., 2016). */
public record LayerNorm(double epsilon) implements Layer {

    @Override
    public Value apply(Build b, Value x) {
        long n = x.shape().dim(x.shape().rank() - 1);
        Value centred = x.minus(x.mean(true, -1));
        Value unit = centred.times(centred.square().mean(true, -1).plus(epsilon).rsqrt());
        return unit.times(b.parameter("scale", Initialiser.ones(), n))
                .plus(b.parameter("offset", Initialiser.zeros(), n));
    }

    @Override
    public String kind() {
        return "norm";
    }
}
