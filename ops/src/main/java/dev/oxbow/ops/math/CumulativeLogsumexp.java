package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.reduce.Scan;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Running {@code log(sum(exp(x)))} along an axis. */
@Signature(
        "CumulativeLogsumexp(x: T, axis: Tidx) -> (out: T) {exclusive: bool = false; reverse: bool = false; T: type in [FLOATING]; Tidx: type in [INT32 INT64] = INT32}")
public record CumulativeLogsumexp(boolean exclusive, boolean reverse) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Scans.infer(c);
    }

    @Override
    public Kernel cpu() {
        return Scans.kernel(Scan.Operation.LOG_SUM_EXP, exclusive, reverse);
    }

    /** {@code dx_i = sum over j of dy_j exp(x_i - y_j)}, with positive and negative dy in the log domain apart. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.output(0), dy = g.gradient(0), axis = g.input(1);
        Value zero = dy.constantLike(0), lowest = dy.constantLike(Double.NEGATIVE_INFINITY);
        Value positive = Value.where(dy.greater(zero), dy.log(), lowest);
        Value negative = Value.where(dy.less(zero), dy.negated().log(), lowest);
        return Arrays.asList(part(positive, x, y, axis).minus(part(negative, x, y, axis)), null);
    }

    private Value part(Value logarithm, Value x, Value y, Value axis) {
        Value sums = Value.apply(new CumulativeLogsumexp(exclusive, !reverse), logarithm.minus(y), axis);
        return sums.plus(x).exp();
    }
}
