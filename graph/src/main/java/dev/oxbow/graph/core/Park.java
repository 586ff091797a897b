package dev.oxbow.graph.core;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/**
 * The input in memory of the host that the device's order reaches, for an {@link Unpark} alone: so it takes no memory of the
 * device while it waits. Made when a device's part is compiled.
 */
@Signature("_Park(input: T) -> (output: T) {T: type}")
public record Park() implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public boolean suppliesOutputs() {
        return true;
    }
}
