package dev.oxbow.ops.sparse;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** A set operation on sets that both lie in the last dimension of dense tensors. */
@Signature(
        "DenseToDenseSetOperation(set1: T, set2: T) -> (result_indices: int64, result_values: T, result_shape: int64) {set_operation: string; validate_indices: bool = true; T: type in [INT8 INT16 INT32 INT64 UINT8 UINT16 STRING]}")
public record DenseToDenseSetOperation(String setOperation, boolean validateIndices) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.atLeast("set1", c.shape(0), 2);
        Arguments.atLeast("set2", c.shape(1), 2);
        return Sets.infer(c, c.dtype(0), Math.max(c.shape(0).rank(), c.shape(1).rank()));
    }

    @Override
    public Kernel cpu() {
        String operation = Sets.operation(setOperation);
        return c -> Sets.combine(c, operation, Sets.dense(c.input(0)), Sets.dense(c.input(1)));
    }
}
