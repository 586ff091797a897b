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
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** Mean over axes: {@code y = sum(x) / n}. */
@Signature(
        "Mean(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in [NUMBER]; Tidx: type in [INT32 INT64] = INT32}")
public record Mean(boolean keepDims) implements Differentiable, Reducing {

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
        return Reduction.Operation.MEAN;
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

    /** {@code dx = dy / n}, broadcast back along the axes. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.output(0), one = g.ops().constant(DType.I32, 1);
        Value n = Value.apply(new FloorDiv(), x.runtimeSize(), y.runtimeSize().maximum(one));
        Value dx = Reductions.spread(g, g.gradient(0));
        return Arrays.asList(dx.dividedBy(n.cast(dx.dtype())), null);
    }
}
