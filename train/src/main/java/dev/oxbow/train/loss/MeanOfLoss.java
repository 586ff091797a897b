package dev.oxbow.train.loss;

import dev.oxbow.ops.Value;
import java.util.function.DoubleUnaryOperator;

/** A function of the mean of a loss over examples. */
record MeanOfLoss(String name, Loss loss, DoubleUnaryOperator figure) implements Metric {

    @Override
    public Value sums(Value prediction, Value target) {
        return PerExample.sumAndCount(loss.of(prediction, target));
    }

    @Override
    public double result(double[] totals) {
        return figure.applyAsDouble(totals[0] / totals[1]);
    }
}
