package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.ops.NotDifferentiable;

/** Whether any element along axes is true. */
@Signature(
        "Any(input: bool, reduction_indices: Tidx) -> (output: bool) {keep_dims: bool = false; Tidx: type in [INT32 INT64] = INT32}")
public record Any(boolean keepDims) implements NotDifferentiable, AxisReduction {

    @Override
    public Operation operation() {
        return Operation.ANY;
    }
}
