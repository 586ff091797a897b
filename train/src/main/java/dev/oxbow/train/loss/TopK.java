package dev.oxbow.train.loss;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;

/** The share of positions where fewer than {@code k} classes have a greater prediction than the right one. */
record TopK(int k) implements Metric {

    @Override
    public String name() {
        return "top " + k;
    }

    @Override
    public Value sums(Value prediction, Value target) {
        Value rows = PerExample.rows(prediction);
        Value right =
                OneHots.of(PerExample.classes(prediction, target), rows.shape().dim(1), rows.dtype());
        Value greater = rows.greater(rows.times(right).sum(true, 1)).cast(DType.F64);
        return PerExample.sumAndCount(
                greater.sum(1).less(greater.constantLike(k)).cast(DType.F64));
    }

    @Override
    public double result(double[] totals) {
        return totals[0] / totals[1];
    }
}
