package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Value;

/**
 * In training each element is zero with probability {@code rate}, and the others grow by {@code 1 / (1 - rate)}. Numbers
 * are drawn by seed, place and step, so a step that is repeated after a restart drops the same elements.
 */
public record Dropout(double rate) implements Layer {

    public Dropout {
        require(rate >= 0 && rate < 1, INVALID_ARGUMENT, "Dropout: the rate must be in [0, 1), got %s", rate);
    }

    @Override
    public Value apply(Build b, Value x) {
        if (!b.training() || rate == 0) return x;
        return x.dropout(rate, b.seeds("mask"));
    }

    @Override
    public String kind() {
        return "dropout";
    }
}
