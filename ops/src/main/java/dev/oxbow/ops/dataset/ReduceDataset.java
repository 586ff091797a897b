package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The state that a function has made of all elements. */
@Signature("ReduceDataset(input_dataset: variant, initial_state: Tstate, other_arguments: Targuments) -> (components:"
        + " output_types) {f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; output_types: list(type)"
        + " >= 1; output_shapes: list(shape) >= 1; use_inter_op_parallelism: bool = true; metadata: string = \"\"}"
        + " stateful")
public record ReduceDataset(
        FunctionRef f,
        @Attr("Tstate") List<DType> stateTypes,
        List<DType> outputTypes,
        List<Shape> outputShapes,
        boolean useInterOpParallelism,
        String metadata)
        implements Iterators.Next {
    @Override
    public Kernel cpu() {
        return c -> Folds.reduce(c, f, stateTypes.size(), outputTypes, outputShapes);
    }
}
