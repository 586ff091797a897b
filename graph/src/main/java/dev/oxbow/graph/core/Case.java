package dev.oxbow.graph.core;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The function with the given index, or the last one when it is out of range. */
@Signature(
        "Case(branch_index: int32, input: Tin) -> (output: Tout) {Tin: list(type) >= 0; Tout: list(type) >= 0; branches: list(func) >= 1; output_shapes: list(shape) = []} stateful")
public record Case(@Attr("Tout") List<DType> outputs, List<FunctionRef> branches, List<Shape> outputShapes)
        implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return CoreOps.inferBranches(c, branches, outputShapes);
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }
}
