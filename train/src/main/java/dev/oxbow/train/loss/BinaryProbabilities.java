package dev.oxbow.train.loss;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;

/** {@code -t log(p) - (1 - t) log(1 - p)} of predicted probabilities, which count as at least {@code LEAST} away from 0 and 1; the mean over all but the batch. */
record BinaryProbabilities() implements Loss {
    private static final double LEAST = 1e-7;

    @Override
    public Value of(Value prediction, Value target) {
        Value p = prediction.clipped(LEAST, 1 - LEAST);
        Value miss = target.negated().plus(1).times(p.negated().plus(1).log());
        return PerExample.mean(target.times(p.log()).plus(miss).negated());
    }

    @Override
    public TensorType target(TensorType prediction) {
        return prediction;
    }
}
