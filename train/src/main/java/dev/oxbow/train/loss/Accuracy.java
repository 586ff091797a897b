package dev.oxbow.train.loss;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.tensor.DType;

/** The share of examples whose greatest logit is that of the right class. */
record Accuracy() implements Metric {

    @Override
    public String name() {
        return "accuracy";
    }

    @Override
    public Value sums(Value prediction, Value target) {
        Value right = prediction
                .argMax(prediction.shape().rank() - 1)
                .cast(target.dtype())
                .equalTo(target)
                .cast(DType.F64);
        return Value.apply(new Pack(0), right.sum(), right.runtimeSize().cast(DType.F64));
    }

    @Override
    public double result(double[] totals) {
        return totals[0] / totals[1];
    }
}
