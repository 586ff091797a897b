package dev.oxbow.ops.dataset;

import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** So many elements after a function as rows. */
@Signature("MapAndBatchDataset(input_dataset: variant, other_arguments: Targuments, batch_size: int64,"
        + " num_parallel_calls: int64, drop_remainder: bool) -> (handle: variant) {f: func; Targuments: list(type)"
        + " >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; preserve_cardinality: bool ="
        + " false; metadata: string = \"\"}")
public record MapAndBatchDataset(
        FunctionRef f, List<DType> outputTypes, List<Shape> outputShapes, boolean preserveCardinality, String metadata)
        implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        int last = c.inputCount() - 1;
        Dataset mapped = Walks.map(Dataset.input(c, 0), Callee.of(c, f, 1, last - 2), preserveCardinality);
        try {
            return Batches.rows(
                    mapped, DatasetOp.number(c, last - 2, "batch_size"), DatasetOp.flag(c, last, "drop_remainder"));
        } finally {
            mapped.release();
        }
    }
}
