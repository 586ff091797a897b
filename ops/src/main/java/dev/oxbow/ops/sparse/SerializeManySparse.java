package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.stream.IntStream;

/** The slices of a sparse tensor along its first dimension, each as a row of three: indices, values and shape. */
@Signature(
        "SerializeManySparse(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (serialized_sparse: out_type) {T: type; out_type: type in [STRING VARIANT] = STRING}")
public record SerializeManySparse(DType outType) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        long[] shape = c.longs(2);
        return List.of(new TensorType(outType, Shape.of(shape == null || shape.length == 0 ? -1 : shape[0], 3)));
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Coordinates x = Coordinates.of("SerializeManySparse", c.input(0), c.input(1), c.input(2))
                    .inside("SerializeManySparse");
            require(
                    x.rank() > 1,
                    INVALID_ARGUMENT,
                    "SerializeManySparse: Rank of input SparseTensor should be > 1, but saw rank: %d",
                    x.rank());
            int n = Counts.toInt(x.shape()[0]), depth = x.rank() - 1;
            Object[] parts = new Object[3 * n];
            for (int i = 0; i < n; i++) {
                int row = i;
                int[] own = IntStream.range(0, x.count())
                        .filter(k -> x.rows()[k][0] == row)
                        .toArray();
                Tensor indices = c.memory().tensor(DType.I64, Shape.of(own.length, depth), c.node());
                Tensor values = c.memory().tensor(x.values().dtype(), Shape.of(own.length), c.node());
                Tensor shape = c.memory().tensor(DType.I64, Shape.of(depth), c.node());
                long[] one = {1};
                for (int k = 0; k < own.length; k++) {
                    for (int d = 0; d < depth; d++) indices.setLong((long) k * depth + d, x.rows()[own[k]][d + 1]);
                    Strided.copy(x.values(), own[k], one, values, k, one, one, Parallel.SERIAL);
                }
                for (int d = 0; d < depth; d++) shape.setLong(d, x.shape()[d + 1]);
                parts[3 * i] = SerializedSparse.element(indices, outType);
                parts[3 * i + 1] = SerializedSparse.element(values, outType);
                parts[3 * i + 2] = SerializedSparse.element(shape, outType);
            }
            c.set(0, Tensor.ofObjects(outType, Shape.of(n, 3), parts));
        };
    }
}
