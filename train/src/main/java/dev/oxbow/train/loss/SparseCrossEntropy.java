package dev.oxbow.train.loss;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.SparseSoftmaxCrossEntropyWithLogits;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;

/**
 * {@code -log softmax(prediction)[target]} for the number of the right class; the mean over positions where there are
 * several. With smoothing so much of the probability that should be there is spread over all classes.
 */
record SparseCrossEntropy(double smoothing) implements Loss {

    @Override
    public Value of(Value prediction, Value target) {
        Value rows = PerExample.rows(prediction), classes = PerExample.classes(prediction, target);
        Value each = Value.applyAll(new SparseSoftmaxCrossEntropyWithLogits(), rows, classes)
                .getFirst();
        if (smoothing > 0)
            each = each.times(1 - smoothing).minus(rows.logSoftmax().mean(1).times(smoothing));
        Shape s = prediction.shape();
        return s.rank() == 2
                ? each
                : each.reshape(-1, s.slice(1, s.rank() - 1).size()).mean(1);
    }

    @Override
    public TensorType target(TensorType prediction) {
        Shape s = prediction.shape();
        return new TensorType(DType.I32, s.slice(0, s.rank() - 1));
    }
}
