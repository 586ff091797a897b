package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The elements of one of several data sets that have the same. */
@Signature("ChooseFastestDataset(input_datasets: N*variant) -> (handle: variant) {N: int >= 2; num_experiments: int;"
        + " output_types: list(type) >= 1; output_shapes: list(shape) >= 1}")
public record ChooseFastestDataset(long numExperiments, List<DType> outputTypes, List<Shape> outputShapes)
        implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Dataset.same(c, 0);
    }
}
