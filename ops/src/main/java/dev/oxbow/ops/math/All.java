package dev.oxbow.ops.math;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.expr.reduce.Reduction.Operation;
import dev.oxbow.ops.NotDifferentiable;

/** Whether all elements along axes are true. */
@Signature(
        "All(input: bool, reduction_indices: Tidx) -> (output: bool) {keep_dims: bool = false; Tidx: type in [INT32 INT64] = INT32}")
public record All(boolean keepDims) implements NotDifferentiable, AxisReduction {

    @Override
    public Operation operation() {
        return Operation.ALL;
    }
}
