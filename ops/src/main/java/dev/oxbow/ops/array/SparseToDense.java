package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Broadcast;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** A dense tensor with values at indices and a default elsewhere. */
@Signature(
        "SparseToDense(sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T) -> (dense: T) {validate_indices: bool = true; T: type; Tindices: type in [INT32 INT64]}")
public record SparseToDense(boolean validateIndices) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape indices = c.shape(0), values = c.shape(2);
        require(
                indices.rank() <= 2,
                INVALID_ARGUMENT,
                "sparse_indices should be a scalar, vector, or matrix, got shape %s",
                indices);
        require(
                c.shape(1).rank() < 0 || c.shape(1).rank() == 1,
                INVALID_ARGUMENT,
                "output_shape should be a vector, got shape %s",
                c.shape(1));
        require(c.shape(3).rank() <= 0, INVALID_ARGUMENT, "default_value should be a scalar, got shape %s", c.shape(3));
        long n = !indices.isRankKnown() ? -1 : indices.rank() == 0 ? 1 : indices.dim(0);
        require(
                values.rank() <= 0 || values.rank() == 1 && (values.dim(0) < 0 || n < 0 || values.dim(0) == n),
                INVALID_ARGUMENT,
                "sparse_values has incorrect shape %s, should be [] or %s",
                values,
                Shape.of(n));
        Shape to = c.shapeValue(1);
        if (indices.isFullyKnown() && to.isRankKnown()) {
            long depth = indices.rank() == 2 ? indices.dim(1) : 1;
            require(
                    depth == to.rank(),
                    INVALID_ARGUMENT,
                    "output_shape has incorrect number of elements: %d should be: %d",
                    to.rank(),
                    depth);
        }
        return List.of(new TensorType(c.dtype(2), to));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor indices = c.input(0), values = c.input(2), y = c.output(0);
            Broadcast.fill(c.input(3), y, c.parallel());
            int depth = y.shape().rank();
            long n = indices.shape().rank() == 0 ? 1 : indices.shape().dim(0), previous = -1;
            long[] strides = y.shape().strides(), one = {1};
            for (long i = 0; i < n; i++) {
                long at = 0;
                for (int d = 0; d < depth; d++) {
                    long j = indices.getLong(i * depth + d);
                    require(
                            j >= 0 && j < y.shape().dim(d),
                            INVALID_ARGUMENT,
                            "indices[%d] = %s is out of bounds: need 0 <= index < %s",
                            i,
                            index(indices, i, depth),
                            y.shape());
                    at += j * strides[d];
                }
                requireAfter(previous, at, indices, i, depth);
                previous = at;
                long from = values.shape().rank() == 0 ? 0 : i;
                Strided.copy(values, from, one, y, at, one, one, Parallel.SERIAL);
            }
        };
    }

    private void requireAfter(long previous, long at, Tensor indices, long i, int depth) {
        if (!validateIndices || at > previous) return;
        throw new OxbowException(
                INVALID_ARGUMENT,
                "indices[%d] = %s is %s"
                        .formatted(
                                i,
                                index(indices, i, depth),
                                at == previous ? "repeated" : "out of order. Many sparse ops require sorted indices."));
    }

    private static List<Long> index(Tensor indices, long i, int depth) {
        return LongStream.range(i * depth, (i + 1) * depth)
                .mapToObj(indices::getLong)
                .toList();
    }

    /** {@code dvalues = dy[indices]}, and the rest for the default. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0), indices = g.input(0), values = g.input(2);
        if (indices.shape().rank() < 2) indices = indices.reshape(-1, 1);
        Value picked = Value.apply(new GatherNd(), dy, indices);
        Value dvalues = values.shape().isScalar() ? picked.sum() : picked;
        return Arrays.asList(null, null, dvalues, dy.sum().minus(picked.sum()));
    }
}
