package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** What a function makes of a state, which it changes, and each element. */
@Signature(
        "ScanDataset(input_dataset: variant, initial_state: Tstate, other_arguments: Targuments) -> (handle: variant)"
                + " {f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; output_types: list(type) >= 1;"
                + " output_shapes: list(shape) >= 1; preserve_cardinality: bool = false; use_default_device: bool = true;"
                + " metadata: string = \"\"}")
public record ScanDataset(
        FunctionRef f,
        @Attr("Tstate") List<DType> stateTypes,
        List<DType> outputTypes,
        List<Shape> outputShapes,
        boolean preserveCardinality,
        boolean useDefaultDevice,
        String metadata)
        implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        int from = 1 + stateTypes.size();
        return Folds.scan(
                Dataset.input(c, 0),
                DatasetOp.kept(c, 1, from),
                Callee.of(c, f, from, c.inputCount()),
                preserveCardinality);
    }
}
