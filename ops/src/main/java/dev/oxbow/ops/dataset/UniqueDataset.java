package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Each element when it is met first. */
@Signature("UniqueDataset(input_dataset: variant) -> (handle: variant) {output_types: list(type) >= 1; output_shapes:"
        + " list(shape) >= 1; metadata: string = \"\"}")
public record UniqueDataset(List<DType> outputTypes, List<Shape> outputShapes, String metadata) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Choosing.unique(Dataset.input(c, 0));
    }
}
