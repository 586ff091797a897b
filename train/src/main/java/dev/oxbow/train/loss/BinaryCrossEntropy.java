package dev.oxbow.train.loss;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;

/** {@code -t log(p) - (1 - t) log(1 - p)} with {@code p = sigmoid(prediction)}, the mean over all but the batch; targets are in [0, 1]. Written as {@code max(x, 0) - x t + log(1 + exp(-|x|))}, which neither overflows nor loses digits. */
record BinaryCrossEntropy() implements Loss {

    @Override
    public Value of(Value prediction, Value target) {
        Value x = prediction;
        return PerExample.mean(
                x.relu().minus(x.times(target)).plus(x.abs().negated().softplus()));
    }

    @Override
    public TensorType target(TensorType prediction) {
        return prediction;
    }
}
