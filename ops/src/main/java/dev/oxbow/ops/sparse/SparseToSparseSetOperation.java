package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** A set operation on sets that both lie in the last dimension of sparse tensors. */
@Signature(
        "SparseToSparseSetOperation(set1_indices: int64, set1_values: T, set1_shape: int64, set2_indices: int64, set2_values: T, set2_shape: int64) -> (result_indices: int64, result_values: T, result_shape: int64) {set_operation: string; validate_indices: bool = true; T: type in [INT8 INT16 INT32 INT64 UINT8 UINT16 STRING]}")
public record SparseToSparseSetOperation(String setOperation, boolean validateIndices) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Sets.infer(c, c.dtype(1), Math.max(Coordinates.rank(c, 2), Coordinates.rank(c, 5)));
    }

    @Override
    public Kernel cpu() {
        String operation = Sets.operation(setOperation);
        return c -> Sets.combine(
                c,
                operation,
                Sets.sparse(c.input(0), c.input(1), c.input(2), validateIndices),
                Sets.sparse(c.input(3), c.input(4), c.input(5), validateIndices));
    }
}
