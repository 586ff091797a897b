package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The same elements: threads are the session's. */
@Signature("MaxIntraOpParallelismDataset(input_dataset: variant, max_intra_op_parallelism: int64) -> (handle: variant)"
        + " {output_types: list(type) >= 1; output_shapes: list(shape) >= 1}")
public record MaxIntraOpParallelismDataset(List<DType> outputTypes, List<Shape> outputShapes) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        long most = DatasetOp.number(c, 1, "max_intra_op_parallelism");
        require(most >= 0, INVALID_ARGUMENT, "`max_intra_op_parallelism` must be >= 0, got %d", most);
        return Dataset.same(c, 0);
    }
}
