package dev.oxbow.graph.core;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Sends its data to output 1 if {@code pred} holds, else to output 0; the other output is dead. */
@Signature("Switch(data: T, pred: bool) -> (output_false: T, output_true: T) {T: type}")
public record Switch() implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        CoreOps.requireScalar(c, 1);
        return List.of(c.input(0), c.input(0));
    }
}
