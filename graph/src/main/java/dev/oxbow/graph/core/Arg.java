package dev.oxbow.graph.core;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Argument {@code index} of a function or program. */
@Signature("_Arg() -> (output: T) {T: type; index: int >= 0}")
public record Arg(@Attr("T") DType type, int index) implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.of(type));
    }
}
