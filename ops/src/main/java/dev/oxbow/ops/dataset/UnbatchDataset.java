package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The rows of each element. */
@Signature("UnbatchDataset(input_dataset: variant) -> (handle: variant) {output_types: list(type) >= 1; output_shapes:"
        + " list(shape) >= 1; metadata: string = \"\"}")
public record UnbatchDataset(List<DType> outputTypes, List<Shape> outputShapes, String metadata) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Batches.unbatched(Dataset.input(c, 0));
    }
}
