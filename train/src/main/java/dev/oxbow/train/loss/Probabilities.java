package dev.oxbow.train.loss;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;

/** {@code -sum(t log p)} over the last axis of predicted probabilities, which count as at least {@code LEAST}; the mean over positions. */
record Probabilities() implements Loss {
    private static final double LEAST = 1e-7;

    @Override
    public Value of(Value prediction, Value target) {
        return PerExample.meanOfSums(
                target.times(prediction.maximum(prediction.constantLike(LEAST)).log())
                        .negated());
    }

    @Override
    public TensorType target(TensorType prediction) {
        return prediction;
    }
}
