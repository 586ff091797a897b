package dev.oxbow.graph.core;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** The one input that is not dead, and which it was; the entry of each iteration of a loop. */
@Signature("Merge(inputs: N*T) -> (output: T, value_index: int32) {T: type; N: int >= 1}")
public record Merge() implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return CoreOps.inferMerge(c);
    }
}
