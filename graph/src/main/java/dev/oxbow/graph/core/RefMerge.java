package dev.oxbow.graph.core;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** The one reference that is not dead, and which it was. */
@Signature("RefMerge(inputs: N*ref T) -> (output: ref T, value_index: int32) {T: type; N: int >= 1}")
public record RefMerge() implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return CoreOps.inferMerge(c);
    }
}
