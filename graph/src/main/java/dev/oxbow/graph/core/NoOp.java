package dev.oxbow.graph.core;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Nothing; a place for control edges to meet. */
@Signature("NoOp() -> ()")
public record NoOp() implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {};
    }
}
