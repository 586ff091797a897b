package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** The greatest element over axes; NaN when there is one. */
@Signature(
        "Max(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in [REAL QUANTISED]; Tidx: type in [INT32 INT64] = INT32}")
public record Max(boolean keepDims) implements Differentiable, AxisReduction {

    @Override
    public Operation operation() {
        return Operation.MAX;
    }

    /** {@code dx = dy / k} at the k greatest elements. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return AxisReduction.share(g);
    }
}
