package dev.oxbow.train.loss;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.SoftmaxCrossEntropyWithLogits;
import dev.oxbow.tensor.Shape;

/** {@code -sum(t log softmax(prediction))} over the last axis, for targets that are distributions, such as one-hot rows; the mean over positions. With smoothing {@code t} becomes {@code (1 - smoothing) t + smoothing / classes} (Szegedy et al., 2016). */
record CrossEntropy(double smoothing) implements Loss {

    @Override
    public Value of(Value prediction, Value target) {
        long classes = prediction.shape().dim(prediction.shape().rank() - 1);
        Value t = smoothing == 0 ? target : target.times(1 - smoothing).plus(smoothing / classes);
        Value each = Value.applyAll(
                        new SoftmaxCrossEntropyWithLogits(), PerExample.rows(prediction), PerExample.rows(t))
                .getFirst();
        Shape s = prediction.shape();
        return s.rank() == 2
                ? each
                : each.reshape(-1, s.slice(1, s.rank() - 1).size()).mean(1);
    }

    @Override
    public TensorType target(TensorType prediction) {
        return prediction;
    }
}
