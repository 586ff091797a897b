package dev.oxbow.graph.core;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Brings a value into the next iteration of its frame. */
@Signature("RefNextIteration(data: ref T) -> (output: ref T) {T: type}")
public record RefNextIteration() implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }
}
