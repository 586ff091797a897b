package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.DynamicStitch;
import dev.oxbow.ops.array.Fill;
import dev.oxbow.ops.array.GatherNd;
import dev.oxbow.ops.array.OnesLike;
import dev.oxbow.ops.array.Range;
import dev.oxbow.ops.math.FloorMod;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** The sum of a sparse tensor over axes, as a dense one. */
@Signature(
        "SparseReduceSum(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) -> (output: T) {keep_dims: bool = false; T: type in [NUMBER]}")
public record SparseReduceSum(boolean keepDims) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return SparseReductions.inferDense(c, keepDims);
    }

    @Override
    public Kernel cpu() {
        return c -> SparseReductions.dense(c, keepDims, Combine.ADD);
    }

    /** {@code dx} = dy at the coordinates that are kept: dy with axes of size 1 again, repeated to the shape. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Ops ops = g.ops();
        Value shape = g.input(2).cast(DType.I32),
                rank = shape.runtimeSize(),
                axes = g.input(3).reshape(-1);
        Value zero = ops.constant(DType.I32, 0), one = ops.constant(DType.I32, 1);
        Value positive = Value.apply(new FloorMod(), axes.plus(rank), rank);
        Value all = Value.apply(new Range(), zero, rank, one);
        Value ones = Value.apply(new Fill(), positive.runtimeShape(), one);
        Value kept = Value.apply(new DynamicStitch(), all, positive, shape, ones);
        Value none = axes.runtimeSize().equalTo(zero);
        kept = Value.where(none, Value.apply(new OnesLike(), shape), kept);
        Value full = Value.apply(new BroadcastTo(), g.gradient(0).reshape(kept), shape);
        return Arrays.asList(null, Value.apply(new GatherNd(), full, g.input(0)), null, null);
    }
}
