package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Keeps a sparse tensor in a map, and gives the number that stands for it. */
@Signature(
        "AddSparseToTensorsMap(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (sparse_handle: int64) {T: type; container: string = \"\"; shared_name: string = \"\"} stateful")
public record AddSparseToTensorsMap(String container, String sharedName) implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("sparse_indices", c.shape(0), 2);
        Arguments.rank("sparse_values", c.shape(1), 1);
        Arguments.rank("sparse_shape", c.shape(2), 1);
        return List.of(new TensorType(DType.I64, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Coordinates.of(c.input(0), c.input(1), c.input(2)).inside();
            SparseTensorsMap map = SparseTensorsMap.of(c, container, sharedName);
            c.output(0).setLong(0, map.put(List.of(c.keep(0), c.keep(1), c.keep(2))));
        };
    }
}
