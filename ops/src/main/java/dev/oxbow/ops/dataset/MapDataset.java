package dev.oxbow.ops.dataset;

import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Each element after a function. */
@Signature("MapDataset(input_dataset: variant, other_arguments: Targuments) -> (handle: variant) {f: func; Targuments:"
        + " list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1;"
        + " use_inter_op_parallelism: bool = true; preserve_cardinality: bool = false; force_synchronous: bool ="
        + " false; metadata: string = \"\"}")
public record MapDataset(
        FunctionRef f,
        List<DType> outputTypes,
        List<Shape> outputShapes,
        boolean useInterOpParallelism,
        boolean preserveCardinality,
        boolean forceSynchronous,
        String metadata)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return Walks.map(Dataset.input(c, 0), Callee.of(c, f, 1, c.inputCount()), preserveCardinality);
    }
}
