package dev.oxbow.graph.core;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Sends its reference to output 1 if {@code pred} holds, else to output 0; the other output is dead. */
@Signature("RefSwitch(data: ref T, pred: bool) -> (output_false: ref T, output_true: ref T) {T: type}")
public record RefSwitch() implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        CoreOps.requireScalar(c, 1);
        return List.of(c.input(0), c.input(0));
    }
}
