package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Takes sparse tensors out of a map, as one with a batch dimension ahead. */
@Signature(
        "TakeManySparseFromTensorsMap(sparse_handles: int64) -> (sparse_indices: int64, sparse_values: dtype, sparse_shape: int64) {dtype: type; container: string = \"\"; shared_name: string = \"\"} stateful")
public record TakeManySparseFromTensorsMap(DType dtype, String container, String sharedName)
        implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("sparse_handles", c.shape(0), 1);
        return Coordinates.types(dtype, -1);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            SparseTensorsMap map = SparseTensorsMap.of(c, container, sharedName);
            SerializedSparse.join(c, dtype, c.input(0).shape(), map.take(Arguments.longs(c.input(0))), true);
        };
    }
}
