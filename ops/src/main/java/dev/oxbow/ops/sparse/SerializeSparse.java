package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** A sparse tensor as a vector of three: indices, values and shape. */
@Signature(
        "SerializeSparse(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (serialized_sparse: out_type) {T: type; out_type: type in [STRING VARIANT] = STRING}")
public record SerializeSparse(DType outType) implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("sparse_indices", c.shape(0), 2);
        Arguments.rank("sparse_values", c.shape(1), 1);
        Arguments.rank("sparse_shape", c.shape(2), 1);
        return List.of(new TensorType(outType, Shape.of(3)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Coordinates.of(c.input(0), c.input(1), c.input(2));
            Object[] parts = new Object[3];
            for (int i = 0; i < 3; i++) parts[i] = SerializedSparse.element(c.keep(i), outType);
            c.set(0, Tensor.ofObjects(outType, Shape.of(3), parts));
        };
    }
}
