package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** Whether any element along axes is true. */
@Signature(
        "Any(input: bool, reduction_indices: Tidx) -> (output: bool) {keep_dims: bool = false; Tidx: type in [INT32 INT64] = INT32}")
public record Any(boolean keepDims) implements NotDifferentiable, Reducing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Reductions.infer(c, keepDims);
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return Reductions.cut(c, outputs, axis);
    }

    @Override
    public Reduction.Operation operation() {
        return Reduction.Operation.ANY;
    }

    @Override
    public int[] axes(InferenceContext c) {
        return Reductions.axes(c);
    }

    @Override
    public int viewOf(InferenceContext c, List<TensorType> outputs) {
        return Reductions.viewOf(c);
    }

    @Override
    public Kernel cpu() {
        return Reductions.kernel(operation());
    }
}
