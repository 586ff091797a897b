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
import java.util.Arrays;
import java.util.List;

/** Euclidean norm over axes: {@code y = sqrt(sum(|x|^2))}. */
@Signature(
        "EuclideanNorm(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in [NUMBER]; Tidx: type in [INT32 INT64] = INT32}")
public record EuclideanNorm(boolean keepDims) implements Differentiable, Reducing {

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
        return Reduction.Operation.EUCLIDEAN_NORM;
    }

    @Override
    public int[] axes(InferenceContext c) {
        return Reductions.axes(c);
    }

    @Override
    public Kernel cpu() {
        return Reductions.kernel(operation());
    }

    /** {@code dx = x dy / y}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value ratio = g.gradient(0).dividedBy(g.output(0));
        return Arrays.asList(g.input(0).times(Reductions.keepDims(g, ratio)), null);
    }
}
