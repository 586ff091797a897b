package dev.oxbow.graph.core;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** One of two functions of the same inputs. */
@Signature(
        "StatelessIf(cond: Tcond, input: Tin) -> (output: Tout) {Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0; then_branch: func; else_branch: func; output_shapes: list(shape) = []}")
public record StatelessIf(
        @Attr("Tout") List<DType> outputs, FunctionRef thenBranch, FunctionRef elseBranch, List<Shape> outputShapes)
        implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return CoreOps.inferBranches(c, List.of(thenBranch, elseBranch), outputShapes);
    }
}
