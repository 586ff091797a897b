package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** A data set so many times; for ever where the number is negative. */
@Signature("RepeatDataset(input_dataset: variant, count: int64) -> (handle: variant) {output_types: list(type) >= 1;"
        + " output_shapes: list(shape) >= 1; metadata: string = \"\"}")
public record RepeatDataset(List<DType> outputTypes, List<Shape> outputShapes, String metadata) implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return Walks.repeat(Dataset.input(c, 0), DatasetOp.number(c, 1, "count"));
    }
}
