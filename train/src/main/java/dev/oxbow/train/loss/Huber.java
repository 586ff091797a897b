package dev.oxbow.train.loss;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;

/** {@code mean(h(prediction - target))} over all but the batch, where {@code h(e)} is {@code e^2 / 2} up to {@code delta} and {@code delta (|e| - delta / 2)} beyond (Huber, 1964). */
record Huber(double delta) implements Loss {

    @Override
    public Value of(Value prediction, Value target) {
        Value e = prediction.minus(target).abs(), near = e.minimum(e.constantLike(delta));
        return PerExample.mean(near.times(e.minus(near.times(0.5))));
    }

    @Override
    public TensorType target(TensorType prediction) {
        return prediction;
    }
}
