package dev.oxbow.train.loss;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import java.util.function.ToDoubleFunction;

/**
 * A figure of answers yes and no, from the numbers of true and false positives, and false and true negatives, in this
 * order. A prediction above the threshold is a yes, as is a target above one half.
 */
record BinaryCounts(String name, double threshold, ToDoubleFunction<double[]> figure) implements Metric {

    @Override
    public Value sums(Value prediction, Value target) {
        Value yes = prediction.greater(prediction.constantLike(threshold)).cast(DType.F64);
        Value right = target.cast(DType.F64).greater(yes.constantLike(0.5)).cast(DType.F64);
        Value both = yes.times(right).sum(), said = yes.sum(), are = right.sum();
        Value neither = yes.negated().plus(1).times(right.negated().plus(1)).sum();
        return Value.stack(0, both, said.minus(both), are.minus(both), neither);
    }

    @Override
    public double result(double[] totals) {
        return figure.applyAsDouble(totals);
    }
}
