package dev.oxbow.ops.dataset;

import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The elements of a data set for each element, of several of them in turn. */
@Signature(
        "ParallelInterleaveDatasetV2(input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, num_parallel_calls: int64) -> (handle: variant) {f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; sloppy: bool = false; metadata: string = \"\"}")
public record ParallelInterleaveDatasetV2(
        FunctionRef f, List<DType> outputTypes, List<Shape> outputShapes, boolean sloppy, String metadata)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return Interleaving.of(c, f, c.inputCount() - 3, true);
    }
}
