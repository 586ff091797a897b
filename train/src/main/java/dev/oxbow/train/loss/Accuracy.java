package dev.oxbow.train.loss;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;

/** The share of positions whose greatest prediction is that of the right class, given as number or as one-hot row. */
record Accuracy() implements Metric {

    @Override
    public String name() {
        return "accuracy";
    }

    @Override
    public Value sums(Value prediction, Value target) {
        Value right = PerExample.classes(prediction, target).cast(DType.I64);
        return PerExample.sumAndCount(
                PerExample.rows(prediction).argMax(1).equalTo(right).cast(DType.F64));
    }

    @Override
    public double result(double[] totals) {
        return totals[0] / totals[1];
    }
}
