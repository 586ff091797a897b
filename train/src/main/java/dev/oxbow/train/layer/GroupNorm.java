package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;

/**
 * Normalisation of each example by the moments of groups of neighbouring channels over all positions (Wu and He, 2018):
 * {@code y = (x - mean) / sqrt(variance + epsilon) * scale + offset}. As many groups as channels is instance normalisation.
 */
public record GroupNorm(int groups, double epsilon) implements Layer {

    @Override
    public Value apply(Build b, Value x) {
        Shape shape = x.shape();
        long channels = shape.dim(shape.rank() - 1),
                positions = shape.slice(1, shape.rank() - 1).size();
        require(
                channels % groups == 0,
                INVALID_ARGUMENT,
                "GroupNorm: %d channels can not be split into %d groups",
                channels,
                groups);
        require(positions >= 0, INVALID_ARGUMENT, "GroupNorm: all sizes but the batch must be known, got %s", shape);
        Value grouped = x.reshape(-1, positions, groups, channels / groups);
        Value centred = grouped.minus(grouped.mean(true, 1, 3));
        Value unit =
                centred.times(centred.square().mean(true, 1, 3).plus(epsilon).rsqrt());
        return unit.reshape(shape.withDim(0, -1).dims())
                .times(b.parameter("scale", Initialiser.ones(), channels))
                .plus(b.parameter("offset", Initialiser.zeros(), channels));
    }

    @Override
    public String kind() {
        return "norm";
    }
}
