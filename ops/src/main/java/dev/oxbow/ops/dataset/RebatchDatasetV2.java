package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The rows of all elements, as elements of given numbers of rows in turn. */
@Signature("RebatchDatasetV2(input_dataset: variant, batch_sizes: int64, drop_remainder: bool) -> (handle: variant)"
        + " {output_types: list(type) >= 1; output_shapes: list(shape) >= 1}")
public record RebatchDatasetV2(List<DType> outputTypes, List<Shape> outputShapes) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Batches.again(Dataset.input(c, 0), Arguments.longs(c.input(1)), DatasetOp.flag(c, 2, "drop_remainder"));
    }
}
