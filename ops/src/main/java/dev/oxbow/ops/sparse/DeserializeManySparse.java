package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** A batch of serialised sparse tensors as one with a batch dimension ahead. */
@Signature(
        "DeserializeManySparse(serialized_sparse: string) -> (sparse_indices: int64, sparse_values: dtype, sparse_shape: int64) {dtype: type}")
public record DeserializeManySparse(DType dtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("serialized_sparse", c.shape(0), 2);
        return SerializedSparse.infer(c, dtype);
    }

    @Override
    public Kernel cpu() {
        return c -> SerializedSparse.read(c, dtype);
    }
}
