package dev.oxbow.train.loss;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;

/**
 * How often which class was taken for which: total {@code i * classes + j} counts examples of class {@code i} that were
 * said to be {@code j}. As one figure it is the mean recall of the classes that occur.
 */
record ConfusionMatrix(int classes) implements Metric {

    @Override
    public String name() {
        return "confusion";
    }

    @Override
    public Value sums(Value prediction, Value target) {
        Value right = OneHots.of(PerExample.classes(prediction, target), classes, DType.F64);
        Value said = OneHots.of(PerExample.rows(prediction).argMax(1), classes, DType.F64);
        return right.matMul(said, true, false).reshape((long) classes * classes);
    }

    @Override
    public double result(double[] totals) {
        double sum = 0, occurring = 0;
        for (int i = 0; i < classes; i++) {
            double row = 0;
            for (int j = 0; j < classes; j++) row += totals[i * classes + j];
            if (row == 0) continue;
            sum += totals[i * classes + i] / row;
            occurring++;
        }
        return sum / occurring;
    }
}
