package dev.oxbow.train.loss;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/**
 * The area under the receiver operating characteristic: how likely a positive example has a greater prediction than a
 * negative one. Totals count positives, then negatives, at or above each of {@code thresholds} values that divide [0, 1]
 * in equal parts; predictions between two of them count as equal.
 *
 * @param logits whether predictions go through the logistic function first
 */
record AreaUnderCurve(int thresholds, boolean logits) implements Metric {

    @Override
    public String name() {
        return "auc";
    }

    @Override
    public Value sums(Value prediction, Value target) {
        Tensor levels = Tensor.allocate(DType.F64, Shape.of(1, thresholds));
        for (int i = 0; i < thresholds; i++) levels.set(i, (double) i / thresholds);
        Value p = prediction.cast(DType.F64).reshape(-1, 1);
        Value above = (logits ? p.sigmoid() : p)
                .greaterEqual(p.ops().constant(levels))
                .cast(DType.F64);
        Value positive = target.cast(DType.F64)
                .reshape(-1, 1)
                .greater(p.constantLike(0.5))
                .cast(DType.F64);
        Value negative = positive.negated().plus(1);
        return Value.concat(
                0, above.times(positive).sum(0), above.times(negative).sum(0));
    }

    /** By trapezoids between neighbouring thresholds. */
    @Override
    public double result(double[] totals) {
        double area = 0;
        for (int i = 0; i < thresholds; i++) {
            double high = totals[i], low = i + 1 < thresholds ? totals[i + 1] : 0;
            double width = totals[thresholds + i] - (i + 1 < thresholds ? totals[thresholds + i + 1] : 0);
            area += width * (high + low) / 2;
        }
        return area / (totals[0] * totals[thresholds]);
    }
}
