package dev.oxbow.ops.dataset;

import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The elements of a data set for each element. */
@Signature(
        "FlatMapDataset(input_dataset: variant, other_arguments: Targuments) -> (handle: variant) {f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"}")
public record FlatMapDataset(FunctionRef f, List<DType> outputTypes, List<Shape> outputShapes, String metadata)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        return Interleaving.of(Dataset.input(c, 0), Callee.of(c, f, 1, c.inputCount()), 1, 1);
    }
}
