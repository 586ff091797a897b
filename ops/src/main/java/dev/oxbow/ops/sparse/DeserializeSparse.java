package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Serialised sparse tensors as one, with the dimensions of the input but its last ahead. */
@Signature(
        "DeserializeSparse(serialized_sparse: Tserialized) -> (sparse_indices: int64, sparse_values: dtype, sparse_shape: int64) {dtype: type; Tserialized: type in [STRING VARIANT] = STRING}")
public record DeserializeSparse(DType dtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return SerializedSparse.infer(c, dtype);
    }

    @Override
    public Kernel cpu() {
        return c -> SerializedSparse.read(c, dtype);
    }
}
