package dev.oxbow.graph.core;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Result {@code index} of a function or program. */
@Signature("_Retval(input: T) -> () {T: type; index: int >= 0}")
public record Retval(int index) implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }
}
