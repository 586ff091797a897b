package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Euclidean norm over axes: {@code y = sqrt(sum(|x|^2))}. */
@Signature(
        "EuclideanNorm(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in [NUMBER]; Tidx: type in [INT32 INT64] = INT32}")
public record EuclideanNorm(boolean keepDims) implements Differentiable, AxisReduction {

    @Override
    public Operation operation() {
        return Operation.EUCLIDEAN_NORM;
    }

    /** Along no axes it is the absolute value. */
    @Override
    public int viewOf(InferenceContext c, List<TensorType> outputs) {
        return -1;
    }

    /** {@code dx = x dy / y}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value ratio = g.gradient(0).dividedBy(g.output(0));
        return Arrays.asList(g.input(0).times(AxisReduction.keepDims(g, ratio)), null);
    }
}
