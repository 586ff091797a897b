package dev.oxbow.ops.nn;

import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** The gradient that cross entropies of softmax share. */
final class CrossEntropies {
    private CrossEntropies() {}

    /** The second output is {@code softmax(x) - labels}, so the way back through it is that of softmax. */
    static List<Value> gradient(GradientContext g, boolean toLabels) {
        Value x = g.input(0), dLoss = g.gradient(0).expandDims(-1), dx = dLoss.times(g.output(1));
        if (g.hasGradient(1)) {
            Value y = Value.apply(new Softmax(), x), d = g.gradient(1);
            dx = dx.plus(d.minus(d.times(y).sum(true, -1)).times(y));
        }
        return Arrays.asList(
                dx, toLabels ? dLoss.times(Value.apply(new LogSoftmax(), x).negated()) : null);
    }
}
