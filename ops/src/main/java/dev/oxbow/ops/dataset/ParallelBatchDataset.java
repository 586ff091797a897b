package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** So many elements as rows, with or without those that are left. */
@Signature("ParallelBatchDataset(input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder:"
        + " bool) -> (handle: variant) {parallel_copy: bool = false; output_types: list(type) >= 1; output_shapes:"
        + " list(shape) >= 1; deterministic: string = \"default\"; metadata: string = \"\"}")
public record ParallelBatchDataset(
        boolean parallelCopy, List<DType> outputTypes, List<Shape> outputShapes, String deterministic, String metadata)
        implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Batches.rows(
                Dataset.input(c, 0), DatasetOp.number(c, 1, "batch_size"), DatasetOp.flag(c, 3, "drop_remainder"));
    }
}
