package dev.oxbow.train.loss;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;
import java.util.stream.IntStream;

/** {@code mean((prediction - target)^2)} over all but the batch. */
record SquaredError() implements Loss {

    @Override
    public Value of(Value prediction, Value target) {
        Value each = prediction.minus(target).square();
        int rank = each.shape().rank();
        return rank == 1 ? each : each.mean(IntStream.range(1, rank).toArray());
    }

    @Override
    public TensorType target(TensorType prediction) {
        return prediction;
    }
}
