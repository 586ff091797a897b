package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
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

    /** {@code dx = dy}, broadcast back along the axes. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(AxisReduction.spread(g, g.gradient(0)), null);
    }
}
