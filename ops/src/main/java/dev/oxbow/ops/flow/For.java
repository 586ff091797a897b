package dev.oxbow.ops.flow;

import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Stateful.Taking;
import java.util.ArrayList;
import java.util.List;

/** Applies {@code body} to the counter and its values for each step of the counter. */
@Signature("For(start: int32, limit: int32, delta: int32, input: T) -> (output: T) {T: list(type) >= 0; body: func}")
public record For(FunctionRef body) implements Taking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < c.outputCount(); i++) types.add(TensorType.of(c.outputDtype(i)));
        return types;
    }

    @Override
    public Kernel cpu() {
        return c -> FunctionLoop.start(c, body);
    }
}
