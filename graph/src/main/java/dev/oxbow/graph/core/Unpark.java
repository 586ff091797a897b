package dev.oxbow.graph.core;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** What a {@link Park} has put aside, in the memory of the device again. */
@Signature("_Unpark(input: T) -> (output: T) {T: type}")
public record Unpark() implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> c.input(0).copyTo(c.output(0));
    }
}
