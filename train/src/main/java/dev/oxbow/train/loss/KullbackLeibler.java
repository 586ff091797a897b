package dev.oxbow.train.loss;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.Xlogy;

/** {@code sum(t log(t / softmax(prediction)))} over the last axis, for targets that are distributions; the mean over positions. */
record KullbackLeibler() implements Loss {

    @Override
    public Value of(Value prediction, Value target) {
        Value own = Value.apply(new Xlogy(), target, target);
        return PerExample.meanOfSums(own.minus(target.times(prediction.logSoftmax())));
    }

    @Override
    public TensorType target(TensorType prediction) {
        return prediction;
    }
}
