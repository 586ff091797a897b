package dev.oxbow.ops.dataset;

import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Each element after a function, in order. */
@Signature("ParallelMapDatasetV2(input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64) ->"
        + " (handle: variant) {f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes:"
        + " list(shape) >= 1; use_inter_op_parallelism: bool = true; deterministic: string = \"default\";"
        + " preserve_cardinality: bool = false; use_unbounded_threadpool: bool = false; metadata: string = \"\"}")
public record ParallelMapDatasetV2(
        FunctionRef f,
        List<DType> outputTypes,
        List<Shape> outputShapes,
        boolean useInterOpParallelism,
        String deterministic,
        boolean preserveCardinality,
        boolean useUnboundedThreadpool,
        String metadata)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return Walks.map(Dataset.input(c, 0), Callee.of(c, f, 1, c.inputCount() - 1), preserveCardinality);
    }
}
