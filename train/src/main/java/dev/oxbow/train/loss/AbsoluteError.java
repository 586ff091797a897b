package dev.oxbow.train.loss;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;

/** {@code mean(|prediction - target|)} over all but the batch. */
record AbsoluteError() implements Loss {

    @Override
    public Value of(Value prediction, Value target) {
        return PerExample.mean(prediction.minus(target).abs());
    }

    @Override
    public TensorType target(TensorType prediction) {
        return prediction;
    }
}
