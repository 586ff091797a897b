package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The same elements, whose number is checked. */
@Signature("AssertCardinalityDataset(input_dataset: variant, cardinality: int64) -> (handle: variant) {output_types:"
        + " list(type) >= 1; output_shapes: list(shape) >= 1}")
public record AssertCardinalityDataset(List<DType> outputTypes, List<Shape> outputShapes) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Choosing.asserted(Dataset.input(c, 0), DatasetOp.number(c, 1, "cardinality"));
    }
}
