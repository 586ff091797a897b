package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Value;

/** {@code y[t] = x[t] + table[t]} over [batch, time, channels]: where in a sequence of at most {@code length} a value is. */
public record Positions(int length, Initialiser start) implements Layer {

    @Override
    public Value apply(Build b, Value x) {
        long time = x.shape().dim(1), channels = x.shape().dim(2);
        require(
                time >= 0 && time <= length,
                INVALID_ARGUMENT,
                "Positions: needs sequences of a known length of at most %d, got %s",
                length,
                x.shape());
        Value table = b.parameter("table", start, length, channels);
        return x.plus(time == length ? table : table.slice(0, 0, Math.toIntExact(time)));
    }

    @Override
    public String kind() {
        return "positions";
    }
}
