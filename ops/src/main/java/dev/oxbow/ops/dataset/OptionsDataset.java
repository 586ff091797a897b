package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The same elements: options decide how, not what. */
@Signature("OptionsDataset(input_dataset: variant) -> (handle: variant) {serialized_options: string; output_types:"
        + " list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"}")
public record OptionsDataset(
        String serializedOptions, List<DType> outputTypes, List<Shape> outputShapes, String metadata)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return Dataset.same(c, 0);
    }
}
