package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Every so manieth element. */
@Signature(
        "ShardDataset(input_dataset: variant, num_shards: int64, index: int64) -> (handle: variant) {output_types: list(type) >= 1; output_shapes: list(shape) >= 1; require_non_empty: bool = false; metadata: string = \"\"}")
public record ShardDataset(List<DType> outputTypes, List<Shape> outputShapes, boolean requireNonEmpty, String metadata)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        long shards = DatasetOp.number(c, 1, "num_shards"), index = DatasetOp.number(c, 2, "index");
        require(
                shards > 0 && index >= 0 && index < shards,
                INVALID_ARGUMENT,
                "Number of shards must be greater than zero and index between 0 and it, got %d and %d",
                shards,
                index);
        require(
                !requireNonEmpty,
                UNIMPLEMENTED,
                "ShardDataset: require_non_empty is true, and shards that must have elements are not there");
        return Walks.part(Dataset.input(c, 0), index, -1, shards);
    }
}
