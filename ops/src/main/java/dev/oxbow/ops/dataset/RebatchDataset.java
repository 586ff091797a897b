package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The rows of each element in so many parts of equal size. */
@Signature(
        "RebatchDataset(input_dataset: variant, num_replicas: int64) -> (handle: variant) {output_types: list(type) >="
                + " 1; output_shapes: list(shape) >= 1; use_fallback: bool = true}")
public record RebatchDataset(List<DType> outputTypes, List<Shape> outputShapes, boolean useFallback)
        implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        long parts = DatasetOp.number(c, 1, "num_replicas");
        require(parts > 0, INVALID_ARGUMENT, "num_replicas must be greater than zero, got %d", parts);
        return Batches.parts(Dataset.input(c, 0), parts);
    }
}
