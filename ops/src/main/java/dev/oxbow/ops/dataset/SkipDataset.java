package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The elements behind the first ones; none where the number is negative. */
@Signature("SkipDataset(input_dataset: variant, count: int64) -> (handle: variant) {output_types: list(type) >= 1;"
        + " output_shapes: list(shape) >= 1; metadata: string = \"\"}")
public record SkipDataset(List<DType> outputTypes, List<Shape> outputShapes, String metadata) implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        long count = DatasetOp.number(c, 1, "count");
        Dataset d = Dataset.input(c, 0);
        return count >= 0 ? Walks.part(d, count, -1, 1) : Walks.part(d, 0, 0, 1).sized(Dataset.sized(d.size(), _ -> 0));
    }
}
