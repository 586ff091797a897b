package dev.oxbow.ops.dataset;

import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The elements for which a function is true, in order. */
@Signature("ParallelFilterDataset(input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64) ->"
        + " (handle: variant) {predicate: func; deterministic: string = \"default\"; Targuments: list(type) >= 0;"
        + " output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"}")
public record ParallelFilterDataset(
        FunctionRef predicate, String deterministic, List<DType> outputTypes, List<Shape> outputShapes, String metadata)
        implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        return Walks.filter(Dataset.input(c, 0), Callee.of(c, predicate, 1, c.inputCount() - 1), false);
    }
}
