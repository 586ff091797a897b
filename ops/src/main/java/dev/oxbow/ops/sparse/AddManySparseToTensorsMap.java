package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Keeps the slices of a sparse tensor along its first dimension in a map, and gives the numbers that stand for them. */
@Signature(
        "AddManySparseToTensorsMap(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (sparse_handles: int64) {T: type; container: string = \"\"; shared_name: string = \"\"} stateful")
public record AddManySparseToTensorsMap(String container, String sharedName) implements NotDifferentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("sparse_indices", c.shape(0), 2);
        Arguments.rank("sparse_values", c.shape(1), 1);
        Arguments.rank("sparse_shape", c.shape(2), 1);
        return List.of(new TensorType(DType.I64, Shape.of(-1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            SparseTensorsMap map = SparseTensorsMap.of(c, container, sharedName);
            SparseSlices slices = SparseSlices.of(c);
            Tensor handles = c.memory().tensor(DType.I64, Shape.of(slices.count()), c.node());
            // Slices that have entries get their numbers before those that have none.
            for (boolean empty : new boolean[] {false, true})
                for (int i = 0; i < slices.count(); i++)
                    if (slices.isEmpty(i) == empty) handles.setLong(i, map.put(slices.at(i)));
            slices.shape().release();
            c.set(0, handles);
        };
    }
}
