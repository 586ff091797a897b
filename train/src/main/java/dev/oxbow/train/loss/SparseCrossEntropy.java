package dev.oxbow.train.loss;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.SparseSoftmaxCrossEntropyWithLogits;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;

/** {@code -log softmax(prediction)[target]} for the number of the right class; the mean over positions where there are several. */
record SparseCrossEntropy() implements Loss {

    @Override
    public Value of(Value prediction, Value target) {
        Shape shape = prediction.shape();
        if (shape.rank() == 2)
            return Value.applyAll(new SparseSoftmaxCrossEntropyWithLogits(), prediction, target)
                    .getFirst();
        long classes = shape.dim(shape.rank() - 1),
                positions = shape.slice(1, shape.rank() - 1).size();
        Value each = Value.applyAll(
                        new SparseSoftmaxCrossEntropyWithLogits(), prediction.reshape(-1, classes), target.reshape(-1))
                .getFirst();
        return each.reshape(-1, positions).mean(1);
    }

    @Override
    public TensorType target(TensorType prediction) {
        Shape s = prediction.shape();
        return new TensorType(DType.I32, s.slice(0, s.rank() - 1));
    }
}
