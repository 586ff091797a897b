package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** The input as it is now. */
@Signature("Snapshot(input: T) -> (output: T) {T: type}")
public record Snapshot() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public int view() {
        return 0;
    }

    @Override
    public Kernel cpu() {
        return c -> c.forward(0, 0);
    }
}
