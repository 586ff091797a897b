package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The slices of a sparse tensor along its first dimension, each as a row of three: indices, values and shape. */
@Signature(
        "SerializeManySparse(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (serialized_sparse: out_type) {T: type; out_type: type in [STRING VARIANT] = STRING}")
public record SerializeManySparse(DType outType) implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        long[] shape = c.longs(2);
        return List.of(new TensorType(outType, Shape.of(shape == null || shape.length == 0 ? -1 : shape[0], 3)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            SparseSlices slices = SparseSlices.of(c);
            int n = slices.count();
            Object[] parts = new Object[3 * n];
            for (int i = 0; i < n; i++) {
                parts[3 * i] = SerializedSparse.element(slices.indices(i), outType);
                parts[3 * i + 1] = SerializedSparse.element(slices.values(i), outType);
                parts[3 * i + 2] = SerializedSparse.element(slices.shape().retain(), outType);
            }
            slices.shape().release();
            c.set(0, Tensor.ofObjects(outType, Shape.of(n, 3), parts));
        };
    }
}
