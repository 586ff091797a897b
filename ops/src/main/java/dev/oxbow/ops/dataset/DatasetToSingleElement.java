package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The one element of a data set. */
@Signature("DatasetToSingleElement(dataset: variant) -> (components: output_types) {output_types: list(type) >= 1;"
        + " output_shapes: list(shape) >= 1; metadata: string = \"\"} stateful")
public record DatasetToSingleElement(List<DType> outputTypes, List<Shape> outputShapes, String metadata)
        implements Iterators.Next {
    @Override
    public Kernel cpu() {
        return c -> Folds.single(c, outputTypes, outputShapes);
    }
}
