package dev.oxbow.ops.dataset;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The same elements: there is nothing to tune. */
@Signature("ModelDataset(input_dataset: variant) -> (handle: variant) {algorithm: int = 0; cpu_budget: int = 0;"
        + " ram_budget: int = 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1}")
public record ModelDataset(
        long algorithm, long cpuBudget, long ramBudget, List<DType> outputTypes, List<Shape> outputShapes)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return Dataset.same(c, 0);
    }
}
