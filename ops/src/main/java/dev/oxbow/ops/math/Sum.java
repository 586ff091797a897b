package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Sum over axes: {@code y = sum(x)}. */
@Signature(
        "Sum(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in [NUMBER]; Tidx: type in [INT32 INT64] = INT32}")
public record Sum(boolean keepDims) implements Differentiable, AxisReduction {

    @Override
    public Operation operation() {
        return Operation.SUM;
    }

    /** Summands, from ranges of an axis that is reduced. */
    @Override
    public Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
        int[] axes = axes(c);
        boolean isSummed = axes != null && Arrays.stream(axes).anyMatch(a -> a == axis);
        return isSummed ? Pieces.summands(outputs, axis, Pieces.WHOLE) : null;
    }

    /** {@code dx = dy}, broadcast back along the axes. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(AxisReduction.spread(g, g.gradient(0)), null);
    }
}
