package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** A ragged tensor as a sparse one. */
@Signature(
        "RaggedTensorToSparse(rt_nested_splits: RAGGED_RANK*Tsplits, rt_dense_values: T) -> (sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64) {RAGGED_RANK: int >= 1; T: type; Tsplits: type in [INT32 INT64] = INT64}")
public record RaggedTensorToSparse() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        int n = c.inputCount() - 1;
        long rank = c.shape(n).isRankKnown() ? c.shape(n).rank() + n : -1;
        return Coordinates.types(c.dtype(n), rank);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int n = c.inputCount() - 1;
            Tensor values = c.input(n);
            Shape inner = values.shape().slice(1, values.shape().rank());
            int rank = n + values.shape().rank();
            long[] shape = new long[rank];
            shape[0] = c.input(0).size() - 1;
            for (int d = 0; d < n; d++) shape[d + 1] = longest(c, d);
            for (int d = 0; d < inner.rank(); d++) shape[n + 1 + d] = inner.dim(d);
            long each = inner.size(), rows = each == 0 ? 0 : values.shape().dim(0);
            Tensor indices = c.allocate(0, Shape.of(rows * each, rank));
            long[] at = new long[n];
            for (long row = 0; row < rows; row++) {
                long position = row;
                long[] prefix = new long[n + 1];
                for (int d = n - 1; d >= 0; d--) {
                    while (c.input(d).getLong(at[d] + 1) <= position) at[d]++;
                    prefix[d + 1] = position - c.input(d).getLong(at[d]);
                    position = at[d];
                }
                prefix[0] = position;
                for (long j = 0; j < each; j++) {
                    long to = (row * each + j) * rank, rest = j;
                    for (int d = 0; d <= n; d++) indices.setLong(to + d, prefix[d]);
                    for (int d = inner.rank() - 1; d >= 0; d--) {
                        indices.setLong(to + n + 1 + d, rest % inner.dim(d));
                        rest /= inner.dim(d);
                    }
                }
            }
            Tensor flat = c.allocate(1, Shape.of(values.size()));
            long[] one = {1}, size = {values.size()};
            Strided.copy(values, 0, one, flat, 0, one, size, Parallel.SERIAL);
            Coordinates.vector(c, 2, shape);
        };
    }

    /** The longest row at one level, after a check of its splits. */
    private static long longest(KernelContext c, int level) {
        Tensor splits = c.input(level);
        long n = splits.size(),
                below =
                        level + 2 < c.inputCount()
                                ? c.input(level + 1).size() - 1
                                : c.input(level + 1).shape().dim(0);
        require(n > 0, INVALID_ARGUMENT, "ragged splits may not be empty");
        require(
                splits.getLong(0) == 0,
                INVALID_ARGUMENT,
                "First value of ragged splits must be 0, got %d",
                splits.getLong(0));
        require(
                splits.getLong(n - 1) == below,
                INVALID_ARGUMENT,
                "Final value of ragged splits must match the length of the corresponding ragged values: %d vs. %d",
                splits.getLong(n - 1),
                below);
        long most = 0;
        for (long i = 1; i < n; i++) {
            long length = splits.getLong(i) - splits.getLong(i - 1);
            require(length >= 0, INVALID_ARGUMENT, "ragged splits must not decrease");
            most = Math.max(most, length);
        }
        return most;
    }

    /** The gradients of the values in their shape. */
    @Override
    public List<Value> gradient(GradientContext g) {
        int n = g.node().inputCount() - 1;
        Value[] d = new Value[n + 1];
        d[n] = g.gradient(1).reshape(g.input(n).runtimeShape());
        return Arrays.asList(d);
    }
}
