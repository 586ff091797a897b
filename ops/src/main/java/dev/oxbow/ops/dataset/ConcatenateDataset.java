package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The elements of one data set, then those of another. */
@Signature("ConcatenateDataset(input_dataset: variant, another_dataset: variant) -> (handle: variant) {output_types:"
        + " list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"}")
public record ConcatenateDataset(List<DType> outputTypes, List<Shape> outputShapes, String metadata)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        List<Dataset> both = List.of(Dataset.input(c, 0), Dataset.input(c, 1));
        long a = both.get(0).size(), b = both.get(1).size();
        long size = a == Dataset.ENDLESS || b == Dataset.ENDLESS
                ? Dataset.ENDLESS
                : Dataset.sized(a, n -> Dataset.sized(b, m -> n + m));
        return Walks.sequence(both, (n, _) -> n < 2 ? both.get(n) : null).sized(size);
    }
}
