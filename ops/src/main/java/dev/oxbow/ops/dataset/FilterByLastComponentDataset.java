package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The elements whose last component is true, without it. */
@Signature("FilterByLastComponentDataset(input_dataset: variant) -> (output: variant) {output_types: list(type) >= 1;"
        + " output_shapes: list(shape) >= 1}")
public record FilterByLastComponentDataset(List<DType> outputTypes, List<Shape> outputShapes) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Choosing.marked(Dataset.input(c, 0));
    }
}
