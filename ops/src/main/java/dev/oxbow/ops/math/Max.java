package dev.oxbow.ops.math;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** The greatest element over axes; NaN when there is one. */
@Signature(
        "Max(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in [REAL QUANTISED]; Tidx: type in [INT32 INT64] = INT32}")
public record Max(boolean keepDims) implements Differentiable, Reducing {

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
        return Reduction.Operation.MAX;
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

    /** {@code dx = dy / k} at the k greatest elements. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Reductions.share(g);
    }
}
