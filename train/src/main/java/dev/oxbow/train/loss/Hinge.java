package dev.oxbow.train.loss;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;

/** {@code mean(max(0, 1 - target * prediction))} over all but the batch, for targets of -1 and 1. */
record Hinge() implements Loss {

    @Override
    public Value of(Value prediction, Value target) {
        return PerExample.mean(prediction.times(target).negated().plus(1).relu());
    }

    @Override
    public TensorType target(TensorType prediction) {
        return prediction;
    }
}
