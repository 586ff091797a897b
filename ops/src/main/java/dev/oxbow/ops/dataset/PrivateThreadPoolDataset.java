package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The same elements: threads are the session's. */
@Signature("PrivateThreadPoolDataset(input_dataset: variant, num_threads: int64) -> (handle: variant) {output_types:"
        + " list(type) >= 1; output_shapes: list(shape) >= 1}")
public record PrivateThreadPoolDataset(List<DType> outputTypes, List<Shape> outputShapes) implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        long threads = DatasetOp.number(c, 1, "num_threads");
        require(threads >= 0, INVALID_ARGUMENT, "`num_threads` must be >= 0, got %d", threads);
        return Dataset.same(c, 0);
    }
}
